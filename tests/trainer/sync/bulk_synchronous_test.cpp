#include "trainer/sync/bulk_synchronous.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(bulk_synchronous_test)

BOOST_AUTO_TEST_CASE(nobody_runs_ahead_and_updates_take_effect_together) {
  const BulkSynchronous mode;
  const std::vector<IterationTiming> workers{{1, 5, 5}, {100, 1, 0}, {}};
  for (std::size_t i = 0; i < workers.size(); ++i) BOOST_TEST(mode.slack(i, workers) == 0u);
  BOOST_TEST(mode.committed());
}

BOOST_AUTO_TEST_SUITE_END()

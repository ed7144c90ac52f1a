#include "trainer/sync/stale_synchronous.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(stale_synchronous_test)

BOOST_AUTO_TEST_CASE(everybody_has_the_same_slack_whatever_was_measured) {
  const StaleSynchronous mode(4);
  const std::vector<IterationTiming> workers{{1, 5, 5}, {100, 1, 0}, {}};
  for (std::size_t i = 0; i < workers.size(); ++i) BOOST_TEST(mode.slack(i, workers) == 4u);
  BOOST_TEST(!mode.committed());
  BOOST_TEST(!mode.on_demand());
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/sync/asynchronous.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "trainer/sync/modes.hpp"

using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(asynchronous_test)

BOOST_AUTO_TEST_CASE(nobody_waits_before_the_bound_and_updates_take_effect_at_once) {
  const Asynchronous mode(7);
  const std::vector<IterationTiming> workers{{1, 5, 5}, {100, 1, 0}, {}};
  for (std::size_t i = 0; i < workers.size(); ++i) BOOST_TEST(mode.slack(i, workers) == 7u);
  BOOST_TEST(!mode.committed());
  BOOST_TEST(mode.on_demand());
}

// A shard refuses what is further ahead.
BOOST_AUTO_TEST_CASE(no_option_lets_a_worker_beyond_what_shards_take) {
  const std::vector<IterationTiming> workers(1);
  const auto lead = [&](const SyncOptions& options) {
    return make_sync_mode("asp", options).value()->slack(0, workers);
  };
  BOOST_TEST(lead({}) == 4096u);
  BOOST_TEST(lead({.lead_max = 1000000}) == 4096u);
  BOOST_TEST(lead({.lead_max = 100}) == 100u);
}

BOOST_AUTO_TEST_SUITE_END()

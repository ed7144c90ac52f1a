#include "trainer/sync/dynamic_stale_synchronous.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;

namespace dynamic_stale_synchronous_test {

std::uint32_t slack_beside(double slowest, double own, std::uint32_t low, std::uint32_t high) {
  const std::vector<IterationTiming> workers{{own, 0, 0}, {slowest, 0, 0}};
  return DynamicStaleSynchronous(low, high).slack(0, workers);
}

}  // namespace dynamic_stale_synchronous_test

BOOST_AUTO_TEST_SUITE(dynamic_stale_synchronous_test)

BOOST_AUTO_TEST_CASE(a_worker_stops_where_the_slowest_ends_an_iteration) {
  // Two of its iterations are one of the slowest, so it may be one ahead; and so on.
  BOOST_TEST(slack_beside(1, 0.5, 0, 4) == 1u);
  BOOST_TEST(slack_beside(1, 0.25, 0, 4) == 3u);
  // Three of two thirds end with the second one of the slowest.
  BOOST_TEST(slack_beside(3, 2, 0, 4) == 2u);
  // What would be best is out of reach: after two of a quarter the wait is half an iteration.
  BOOST_TEST(slack_beside(1, 0.25, 0, 1) == 1u);
}

BOOST_AUTO_TEST_CASE(the_slowest_and_its_equals_get_the_lower_threshold) {
  BOOST_TEST(slack_beside(1, 1, 0, 4) == 0u);
  BOOST_TEST(slack_beside(1, 1, 2, 4) == 2u);
  BOOST_TEST(slack_beside(1, 2, 2, 4) == 2u);
  BOOST_TEST(slack_beside(0, 0, 1, 4) == 1u);
}

BOOST_AUTO_TEST_CASE(a_lower_threshold_above_the_upper_counts_as_equal_to_it) {
  BOOST_TEST(slack_beside(1, 0.5, 9, 2) == 2u);
}

// Goal: the choice is the least wait. Method: against every other choice in the range.
BOOST_AUTO_TEST_CASE(no_other_slack_in_the_range_waits_less) {
  const auto wait = [](double own, std::uint32_t s) {
    const double end = (s + 1) * own;
    return std::ceil(end - 1e-9) - end;
  };
  Random random(51);
  for (int round = 0; round < 2000; ++round) {
    const double own = 0.05 + 0.9 * random.uniform();
    const auto low = static_cast<std::uint32_t>(random.below(3));
    const auto high = low + static_cast<std::uint32_t>(random.below(6));
    const std::uint32_t chosen = slack_beside(1, own, low, high);
    BOOST_REQUIRE(chosen >= low);
    BOOST_REQUIRE(chosen <= high);
    for (std::uint32_t s = low; s <= high; ++s)
      BOOST_REQUIRE(wait(own, chosen) <= wait(own, s) + 1e-6);
  }
}

BOOST_AUTO_TEST_SUITE_END()

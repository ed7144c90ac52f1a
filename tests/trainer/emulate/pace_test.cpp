#include "trainer/emulate/pace.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace slime;
using namespace slime::trainer;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(pace_test)

BOOST_AUTO_TEST_CASE(a_quarter_as_fast_worker_takes_four_times_as_long) {
  const EmulationSpec emulation{.sample_us = 100, .speeds = {1, 0.25}};
  const Pace fast = Pace::make(emulation, WorkerId(0)).value();
  const Pace slow = Pace::make(emulation, WorkerId(1)).value();
  BOOST_CHECK(fast.duration(1, 16, 5s) == 1600us);
  BOOST_CHECK(slow.duration(1, 16, 5s) == 6400us);
  BOOST_CHECK(slow.duration(1, 0, 5s) == 0us);
}

BOOST_AUTO_TEST_CASE(the_fixed_part_is_taken_once_by_each_group) {
  const Pace pace =
      Pace::make({.sample_us = 100, .fixed_us = 50, .speeds = {0.5}}, WorkerId(0)).value();
  BOOST_CHECK(pace.duration(1, 16, 5s) == 3300us);
  BOOST_CHECK(pace.duration(1, 16, 5s, false) == 3200us);
}

// Goal: about one factor in ten is beyond 1, none beyond the cut, and some are far.
BOOST_AUTO_TEST_CASE(a_heavy_tail_stretches_a_few_iterations) {
  const Pace pace =
      Pace::make({.sample_us = 1, .tail_chance = 0.1, .tail_exponent = 0.5}, WorkerId(0)).value();
  int stretched = 0, far = 0;
  for (std::uint64_t iteration = 0; iteration < 2000; ++iteration) {
    const double factor = pace.noise_factor(iteration);
    BOOST_REQUIRE(factor >= 1);
    BOOST_REQUIRE(factor <= 100);
    stretched += factor > 1;
    far += factor > 20;
  }
  BOOST_TEST(stretched > 150);
  BOOST_TEST(stretched < 250);
  BOOST_TEST(far > 20);
}

BOOST_AUTO_TEST_CASE(a_stall_is_waited_out) {
  EmulationSpec emulation{.sample_us = 1000};
  emulation.stalls.push_back({WorkerId(0), 1, 2});
  const Pace pace = Pace::make(emulation, WorkerId(0)).value();
  BOOST_CHECK(pace.duration(1, 1000, 500ms) == 3s);
  BOOST_CHECK(pace.duration(1, 1000, 2500ms) == 1500ms);
  BOOST_CHECK(pace.duration(1, 1000, 3s) == 1s);
}

BOOST_AUTO_TEST_CASE(the_longest_wait_is_still_a_duration) {
  EmulationSpec emulation{.sample_us = 1e300};
  emulation.stalls.push_back({WorkerId(0), 0, 1e300});
  const Pace pace = Pace::make(emulation, WorkerId(0)).value();
  BOOST_CHECK(pace.duration(1, 1000, 1s) == 1'000'000'000s);
}

BOOST_AUTO_TEST_CASE(noise_is_one_factor_per_worker_and_iteration) {
  const EmulationSpec emulation{.sample_us = 1000, .noise = 0.3, .seed = 9};
  const Pace first = Pace::make(emulation, WorkerId(0)).value();
  const Pace same = Pace::make(emulation, WorkerId(0)).value();
  const Pace other = Pace::make(emulation, WorkerId(1)).value();
  BOOST_TEST(first.noise_factor(5) == same.noise_factor(5));
  BOOST_TEST(first.noise_factor(5) != first.noise_factor(6));
  BOOST_TEST(first.noise_factor(5) != other.noise_factor(5));
  BOOST_TEST(to_seconds(first.duration(5, 20, 0s)) == 2 * to_seconds(first.duration(5, 10, 1s)),
             boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(noise_has_the_declared_spread_and_neighbours_are_independent) {
  const EmulationSpec emulation{.sample_us = 1000, .noise = 0.3, .seed = 9};
  const Pace pace = Pace::make(emulation, WorkerId(3)).value();
  constexpr int draws = 4000;
  double sum = 0, squares = 0, neighbours = 0, before = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = std::log(pace.noise_factor(static_cast<std::uint64_t>(i))) / 0.3;
    sum += x;
    squares += x * x;
    neighbours += x * before;
    before = x;
  }
  BOOST_TEST(std::abs(sum / draws) < 0.05);
  BOOST_TEST(std::abs(squares / draws - 1) < 0.1);
  BOOST_TEST(std::abs(neighbours / draws) < 0.06);
}

BOOST_AUTO_TEST_CASE(an_impossible_emulation_is_refused) {
  BOOST_CHECK(Pace::make({}, WorkerId(0)).error().code == Errc::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/balance/load_speeds.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::trainer;

namespace load_speeds_test {

WorkerLoad load(double fixed_s, double sample_s, std::uint32_t previous) {
  WorkerLoad result;
  result.speed = {fixed_s, sample_s, 0.1, 9};
  result.units_previous = previous;
  return result;
}

using Values = std::vector<double>;

}  // namespace load_speeds_test

BOOST_AUTO_TEST_SUITE(load_speeds_test)

BOOST_AUTO_TEST_CASE(who_was_not_measured_counts_as_the_middle_of_the_others) {
  const std::vector<WorkerLoad> loads{load(1, 2, 0), {}, load(3, 4, 0), load(9, 9, 0)};
  const auto speeds = known_speeds(loads);
  BOOST_TEST(speeds[1].fixed_s == 3);
  BOOST_TEST(speeds[1].sample_s == 4);
  BOOST_TEST(speeds[3].sample_s == 9);
  BOOST_TEST(any_measured(loads));
  BOOST_TEST(!any_measured(std::vector<WorkerLoad>(3)));
}

BOOST_AUTO_TEST_CASE(present_shares_are_scaled_and_newcomers_get_the_mean) {
  const auto shares = [](std::vector<WorkerLoad> loads) { return present_shares(12, loads); };
  BOOST_TEST(shares({load(0, 1, 4), load(0, 1, 2)}) == (Values{8, 4}),
             boost::test_tools::per_element());
  BOOST_TEST(shares({load(0, 1, 5), load(0, 1, 3), {}}) == (Values{5, 3, 4}),
             boost::test_tools::per_element());
  // One that was measured and has nothing was given nothing.
  BOOST_TEST(shares({load(0, 1, 6), load(0, 1, 0)}) == (Values{12, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(shares({{}, {}, {}}) == (Values{4, 4, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_fixed_cost_slows_a_small_share_down) {
  const std::vector<WorkerLoad> loads{load(1, 1, 3), load(1, 1, 1), load(1, 1, 0)};
  // 6 of 7 samples a second, 2 of 3, and for no share the same as for one block.
  BOOST_TEST(present_speeds({4, 2, 0}, loads) == (Values{6.0 / 7, 2.0 / 3, 2.0 / 3}),
             boost::test_tools::per_element());
  BOOST_TEST(share_seconds({4, 2, 0}, loads, Values{3, 0.5, 0}) == (Values{7, 2, 0}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(bounds_of_the_loads_hold) {
  std::vector<WorkerLoad> loads(2);
  loads[0].units_max = 3;
  BOOST_TEST(
      split_in_proportion(8, Values{1, 1}, loads).value() == (std::vector<std::uint32_t>{3, 5}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/balance/adapt_fr.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace slime;
using namespace slime::trainer;

namespace adapt_fr_test {

using Shares = std::vector<std::uint32_t>;

WorkerLoad load(double sample_s, std::uint32_t previous, double noise = 0.01) {
  WorkerLoad result;
  result.speed = {0, sample_s, noise, 20};
  result.units_previous = previous;
  return result;
}

WorkerLoad unmeasured(std::uint32_t previous) {
  WorkerLoad result;
  result.units_previous = previous;
  return result;
}

Shares split(std::uint32_t units, std::vector<WorkerLoad> loads) {
  for (std::uint32_t i = 0; i < loads.size(); ++i) loads[i].worker = WorkerId(i);
  return AdaptFrPolicy().split({units, 16, 0}, loads).value();
}

}  // namespace adapt_fr_test

#define CHECK_SHARES(actual, ...) \
  BOOST_TEST((actual) == (Shares{__VA_ARGS__}), boost::test_tools::per_element())

BOOST_AUTO_TEST_SUITE(adapt_fr_test)

BOOST_AUTO_TEST_CASE(without_measurements_shares_are_equal) {
  CHECK_SHARES(split(16, {unmeasured(0), unmeasured(0), unmeasured(0), unmeasured(0)}), 4, 4, 4, 4);
}

BOOST_AUTO_TEST_CASE(a_quarter_as_fast_worker_gets_one_block_of_sixteen) {
  CHECK_SHARES(split(16, {load(1, 4), load(1, 4), load(1, 4), load(4, 4)}), 5, 5, 5, 1);
}

BOOST_AUTO_TEST_CASE(a_gain_within_the_dead_band_moves_nothing) {
  // The slower of three is 5 % slower: the best split gains 3 %.
  CHECK_SHARES(split(600, {load(1.05, 200), load(1, 200), load(1, 200)}), 200, 200, 200);
  CHECK_SHARES(split(60, {load(1.3, 20, 0.5), load(1, 20, 0.5), load(1, 20, 0.5)}), 20, 20, 20);
  CHECK_SHARES(split(60, {load(1.3, 20), load(1, 20), load(1, 20)}), 16, 22, 22);
}

BOOST_AUTO_TEST_CASE(the_dead_band_grows_with_noise_and_workers_and_shrinks_with_averaging) {
  std::vector<WorkerLoad> loads(8, load(1, 8, 0.3));
  BOOST_TEST(dead_band(loads) == 0.3 * std::sqrt(2 * std::log(8) / loads[0].speed.window()),
             boost::test_tools::tolerance(1e-12));
  const double averaged = dead_band(loads);
  for (auto& each : loads) each.speed.measurements = 2;
  BOOST_TEST(dead_band(loads) > averaged);
  loads.resize(1);
  BOOST_TEST(dead_band(loads) == 0.05);
}

BOOST_AUTO_TEST_CASE(a_share_at_most_doubles_per_step_until_it_is_due) {
  std::vector<WorkerLoad> loads{load(1, 1), load(1, 21), load(1, 21), load(1, 21)};
  Shares shares;
  for (std::uint32_t expected : {2u, 4u, 8u, 16u, 16u}) {
    shares = split(64, loads);
    BOOST_TEST(shares[0] == expected);
    for (std::size_t i = 0; i < 4; ++i) loads[i].units_previous = shares[i];
  }
  CHECK_SHARES(shares, 16, 16, 16, 16);
}

// One worker of many gains the iteration less than the dead band; it grows all the same.
BOOST_AUTO_TEST_CASE(a_new_worker_among_many_grows_to_its_part) {
  std::vector<WorkerLoad> loads(31, load(1, 32, 0.1));
  loads.push_back(load(1, 0, 0.1));
  std::uint32_t share = 0;
  for (int step = 0; step < 8; ++step) {
    const Shares shares = split(992, loads);
    BOOST_TEST(shares.back() <= std::max(1u, 2 * share + 1));
    share = shares.back();
    for (std::size_t i = 0; i < loads.size(); ++i) loads[i].units_previous = shares[i];
  }
  BOOST_TEST(share >= 15u);
}

BOOST_AUTO_TEST_CASE(a_worker_without_measurements_starts_with_one_block_and_keeps_it) {
  std::vector<WorkerLoad> loads{load(1, 8), load(1, 8), unmeasured(0)};
  for (int step = 0; step < 3; ++step) {
    const Shares shares = split(16, loads);
    BOOST_TEST(shares[2] == 1u);
    for (std::size_t i = 0; i < 3; ++i) loads[i].units_previous = shares[i];
  }
}

BOOST_AUTO_TEST_CASE(what_a_dead_worker_leaves_is_taken_over_at_once) {
  CHECK_SHARES(split(64, {load(1, 10), load(1, 10)}), 32, 32);
  CHECK_SHARES(split(64, {load(1, 20), load(2, 10)}), 43, 21);
}

BOOST_AUTO_TEST_CASE(a_worker_nobody_should_wait_for_gets_nothing) {
  auto stuck = load(1, 5);
  stuck.speed.fixed_s = 1e6;
  CHECK_SHARES(split(16, {load(1, 6), stuck, load(1, 5)}), 8, 0, 8);
  CHECK_SHARES(split(16, {load(1, 6), load(500, 5), load(1, 5)}), 8, 0, 8);
}

BOOST_AUTO_TEST_SUITE_END()

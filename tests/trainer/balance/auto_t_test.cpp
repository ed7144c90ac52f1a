#include "trainer/balance/auto_t.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/trainer/balance/loads.hpp"

using namespace slime;
using namespace slime::trainer;
using namespace slime::tests;

namespace auto_t_test {

// Runs as many iterations as it takes, and returns the shares.
Shares tune(AutoTPolicy& policy, std::vector<WorkerLoad>& loads, std::uint64_t& k) {
  for (const std::uint64_t end = k + 200; !policy.tuned() && k < end; ++k)
    adopt(loads, policy.split({64, 16, k}, loads).value());
  return policy.split({64, 16, k}, loads).value();
}

}  // namespace auto_t_test

BOOST_AUTO_TEST_SUITE(auto_t_test)

BOOST_AUTO_TEST_CASE(unequal_workers_are_tuned_in_a_few_rounds_and_then_frozen) {
  AutoTPolicy policy(false);
  auto loads = loads_of({1, 1, 1, 4});
  std::uint64_t k = 0;
  const Shares tuned = tune(policy, loads, k);
  BOOST_TEST(policy.tuned());
  BOOST_TEST(policy.rounds() <= 4u);
  BOOST_TEST(tuned[3] == 5u);
  // Blind from now on: that is what it is.
  loads[0].speed.sample_s = 9;
  for (std::uint64_t end = k + 50; k < end; ++k)
    BOOST_TEST(policy.split({64, 16, k}, loads).value() == tuned, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_round_lasts_until_everybody_was_measured_for_eight_iterations) {
  AutoTPolicy policy(false);
  std::vector<WorkerLoad> loads = loads_of({1, 1, 1, 4});
  loads[2].speed = {};
  for (std::uint64_t k = 0; k < 30; ++k) {
    BOOST_TEST(policy.split({64, 16, k}, loads).value() == (Shares{16, 16, 16, 16}),
               boost::test_tools::per_element());
    adopt(loads, {16, 16, 16, 16});
  }
  loads[2].speed = loads[1].speed;
  for (std::uint64_t k = 30; k < 37; ++k)
    BOOST_TEST(policy.split({64, 16, k}, loads).value()[3] == 16u);
  BOOST_TEST(policy.split({64, 16, 37}, loads).value()[3] < 16u);
}

BOOST_AUTO_TEST_CASE(who_comes_or_goes_after_the_freeze_leaves_the_proportions_of_the_rest) {
  AutoTPolicy policy(false);
  auto loads = loads_of({1, 1, 2});
  std::uint64_t k = 0;
  const Shares tuned = tune(policy, loads, k);
  BOOST_TEST(tuned[0] > 1.8 * tuned[2]);
  auto fewer = loads;
  fewer.erase(fewer.begin());
  const Shares rest = policy.split({64, 16, k}, fewer).value();
  BOOST_TEST(rest[0] > rest[1]);
  auto more = loads;
  more.emplace_back().worker = WorkerId{3};
  const Shares joined = policy.split({64, 16, k}, more).value();
  BOOST_TEST(joined[3] == 16u);
}

BOOST_AUTO_TEST_CASE(it_can_hand_over_to_adapt_fr) {
  AutoTPolicy policy(true);
  auto loads = loads_of({1, 1, 1, 4});
  std::uint64_t k = 0;
  adopt(loads, tune(policy, loads, k));
  BOOST_TEST(policy.tuned());
  // Now a change is followed.
  loads[3].speed.sample_s = 1;
  for (std::uint64_t end = k + 10; k < end; ++k)
    adopt(loads, policy.split({64, 16, k}, loads).value());
  BOOST_TEST(loads[3].units_previous == 16u);
}

BOOST_AUTO_TEST_SUITE_END()

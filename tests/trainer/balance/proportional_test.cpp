#include "trainer/balance/proportional.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/trainer/balance/loads.hpp"

using namespace slime;
using namespace slime::trainer;
using namespace slime::tests;

BOOST_AUTO_TEST_SUITE(proportional_test)

BOOST_AUTO_TEST_CASE(without_a_fixed_cost_one_step_is_enough) {
  ProportionalPolicy policy;
  BOOST_TEST(policy.split({16, 16, 0}, loads_of({1, 1, 1, 4})).value() == (Shares{5, 5, 5, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_measurements_shares_are_equal) {
  ProportionalPolicy policy;
  BOOST_TEST(policy.split({16, 16, 0}, std::vector<WorkerLoad>(4)).value() == (Shares{4, 4, 4, 4}),
             boost::test_tools::per_element());
}

// x = B p / sum p with p = x / (a + b x) comes to rest where all times are equal.
BOOST_AUTO_TEST_CASE(a_fixed_cost_delays_the_rest_but_does_not_move_it) {
  ProportionalPolicy policy;
  auto loads = loads_of({0.01, 0.03}, 30);
  std::vector<double> first, last;
  for (std::uint64_t k = 0; k < 40; ++k) {
    adopt(loads, policy.split({1000, 16, k}, loads).value());
    last.clear();
    for (const auto& load : loads) last.push_back(load.speed.seconds(load.units_previous * 16.0));
    if (k == 0) first = last;
  }
  BOOST_TEST(first[1] > 1.1 * first[0]);
  BOOST_TEST(last[0] == last[1], boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_SUITE_END()

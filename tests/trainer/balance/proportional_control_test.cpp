#include "trainer/balance/proportional_control.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/trainer/balance/loads.hpp"

using namespace slime;
using namespace slime::trainer;
using namespace slime::tests;

BOOST_AUTO_TEST_SUITE(proportional_control_test)

BOOST_AUTO_TEST_CASE(times_that_differ_are_brought_together) {
  ProportionalControlPolicy policy;
  auto loads = loads_of({1, 1, 1, 4});
  adopt(loads, {16, 16, 16, 16});
  // Corrected they are 28, 28, 28 and 7, scaled to 64.
  BOOST_TEST(policy.split({64, 16, 1}, loads).value() == (Shares{20, 20, 19, 5}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(within_five_per_cent_nothing_moves) {
  ProportionalControlPolicy policy;
  auto loads = loads_of({1, 1.04});
  adopt(loads, {500, 500});
  BOOST_TEST(policy.split({1000, 16, 1}, loads).value() == (Shares{500, 500}),
             boost::test_tools::per_element());
  loads[1].speed.sample_s = 1.2;
  BOOST_TEST(policy.split({1000, 16, 2}, loads).value()[0] > 500u);
}

BOOST_AUTO_TEST_CASE(who_has_nothing_can_come_back) {
  ProportionalControlPolicy policy;
  auto loads = loads_of({1, 1});
  adopt(loads, {16, 0});
  for (std::uint64_t k = 0; k < 5; ++k) adopt(loads, policy.split({16, 16, k}, loads).value());
  BOOST_TEST(loads[1].units_previous == 8u);
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/balance/antdt_nd.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/trainer/balance/loads.hpp"

using namespace slime;
using namespace slime::trainer;
using namespace slime::tests;

BOOST_AUTO_TEST_SUITE(antdt_nd_test)

BOOST_AUTO_TEST_CASE(a_straggler_is_answered_at_the_end_of_a_window) {
  AntDtNdPolicy policy;
  auto loads = loads_of({1, 1, 1, 4});
  for (std::uint64_t k = 0; k < 10; ++k) {
    adopt(loads, policy.split({64, 16, k}, loads).value());
    BOOST_TEST(loads[3].units_previous == 16u);
  }
  BOOST_TEST(policy.split({64, 16, 10}, loads).value() == (Shares{20, 20, 20, 4}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nobody_is_moved_while_nobody_straggles) {
  AntDtNdPolicy policy;
  auto loads = loads_of({1, 1, 1, 1.2});
  for (std::uint64_t k = 0; k < 50; ++k) adopt(loads, policy.split({64, 16, k}, loads).value());
  BOOST_TEST(loads[3].units_previous == 16u);
}

// One slow iteration out of ten is a fifth of the mean at most.
BOOST_AUTO_TEST_CASE(a_moment_of_slowness_is_averaged_away) {
  AntDtNdPolicy policy;
  auto loads = loads_of({1, 1, 1, 1});
  for (std::uint64_t k = 0; k < 50; ++k) {
    loads[2].speed.sample_s = k % 10 == 5 ? 3 : 1;
    adopt(loads, policy.split({64, 16, k}, loads).value());
  }
  BOOST_TEST(loads[2].units_previous == 16u);
}

BOOST_AUTO_TEST_SUITE_END()

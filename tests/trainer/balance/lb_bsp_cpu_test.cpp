#include "trainer/balance/lb_bsp_cpu.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/trainer/balance/loads.hpp"

using namespace slime;
using namespace slime::trainer;
using namespace slime::tests;

BOOST_AUTO_TEST_SUITE(lb_bsp_cpu_test)

BOOST_AUTO_TEST_CASE(steady_speeds_are_predicted_to_stay) {
  LbBspCpuPolicy policy;
  for (std::uint64_t k = 0; k < 5; ++k)
    BOOST_TEST(policy.split({16, 16, k}, loads_of({1, 1, 1, 4})).value() == (Shares{5, 5, 5, 1}),
               boost::test_tools::per_element());
}

// Worker 0 slows down a little in every iteration: the prediction is ahead of the measurement.
BOOST_AUTO_TEST_CASE(a_drift_is_led) {
  LbBspCpuPolicy policy;
  Shares shares;
  double slow = 1;
  for (std::uint64_t k = 0; k < 30; ++k) {
    slow *= 1.05;
    shares = policy.split({10000, 1, k}, loads_of({slow, 1})).value();
  }
  const auto measured = static_cast<std::uint32_t>(10000 / (1 + slow));
  BOOST_TEST(shares[0] < measured);
  BOOST_TEST(shares[0] > measured * 9 / 10);
}

BOOST_AUTO_TEST_SUITE_END()

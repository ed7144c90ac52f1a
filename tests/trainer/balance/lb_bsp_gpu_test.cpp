#include "trainer/balance/lb_bsp_gpu.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/trainer/balance/loads.hpp"

using namespace slime;
using namespace slime::trainer;
using namespace slime::tests;

BOOST_AUTO_TEST_SUITE(lb_bsp_gpu_test)

BOOST_AUTO_TEST_CASE(once_a_window_the_straggler_gives_the_leader_a_step) {
  LbBspGpuPolicy policy;
  auto loads = loads_of({0.5, 1, 1, 2});
  for (std::uint64_t k = 0; k < 5; ++k) {
    adopt(loads, policy.split({64, 16, k}, loads).value());
    BOOST_TEST(loads[0].units_previous == 16u);
  }
  BOOST_TEST(policy.split({64, 16, 5}, loads).value() == (Shares{20, 16, 16, 12}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(steps_shrink_until_the_times_meet_and_then_nothing_moves) {
  LbBspGpuPolicy policy;
  auto loads = loads_of({1, 1, 1, 4});
  for (std::uint64_t k = 0; k < 300; ++k) adopt(loads, policy.split({64, 16, k}, loads).value());
  const Shares settled = policy.split({64, 16, 300}, loads).value();
  BOOST_TEST(settled[3] >= 4u);
  BOOST_TEST(settled[3] <= 6u);
  for (std::uint64_t k = 300; k < 400; ++k) {
    adopt(loads, policy.split({64, 16, k}, loads).value());
    BOOST_TEST(loads[3].units_previous == settled[3]);
  }
}

BOOST_AUTO_TEST_CASE(a_leader_without_memory_to_spare_is_passed_over) {
  LbBspGpuPolicy policy;
  auto loads = loads_of({0.5, 0.9, 1, 2});
  loads[0].units_max = 16;
  for (std::uint64_t k = 0; k <= 5; ++k) adopt(loads, policy.split({64, 16, k}, loads).value());
  BOOST_TEST(loads[0].units_previous == 16u);
  BOOST_TEST(loads[1].units_previous == 20u);
}

BOOST_AUTO_TEST_SUITE_END()

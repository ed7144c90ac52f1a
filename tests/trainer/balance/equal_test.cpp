#include "trainer/balance/equal.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(equal_test)

BOOST_AUTO_TEST_CASE(speed_does_not_matter_and_the_first_get_what_is_left) {
  std::vector<WorkerLoad> loads(3);
  for (std::uint32_t i = 0; i < 3; ++i) loads[i].speed = {0, 0.1 + i, 0, 9};
  BOOST_TEST(
      EqualPolicy().split({16, 16, 0}, loads).value() == (std::vector<std::uint32_t>{6, 5, 5}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_a_bound_forbids_goes_to_the_others_equally) {
  std::vector<WorkerLoad> loads(3);
  loads[1].units_max = 2;
  BOOST_TEST(
      EqualPolicy().split({16, 16, 0}, loads).value() == (std::vector<std::uint32_t>{7, 2, 7}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

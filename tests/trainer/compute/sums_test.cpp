#include "trainer/compute/sums.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(sums_test)

BOOST_AUTO_TEST_CASE(one_value_that_is_not_finite_is_found_anywhere) {
  using limits = std::numeric_limits<float>;
  for (const float bad : {limits::quiet_NaN(), limits::infinity(), -limits::infinity()})
    for (std::size_t at = 0; at < 37; ++at) {
      std::vector<float> values(37, limits::max());
      values[(at + 1) % 37] = limits::lowest();
      BOOST_TEST(all_finite(values));
      values[at] = bad;
      BOOST_TEST(!all_finite(values));
    }
}

BOOST_AUTO_TEST_CASE(add_is_elementwise) {
  std::vector<float> sum{1, 2, 3};
  add(std::vector<float>{10, 20, 30}, sum);
  BOOST_TEST(sum == (std::vector<float>{11, 22, 33}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/balance/random.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::trainer;

namespace random_test {

using Shares = std::vector<std::uint32_t>;

}  // namespace random_test

BOOST_AUTO_TEST_SUITE(random_test)

BOOST_AUTO_TEST_CASE(every_iteration_has_shares_of_its_own_and_the_seed_repeats_them) {
  const std::vector<WorkerLoad> loads(4);
  RandomPolicy policy(1), same(1), other(2);
  int differ = 0, differ_by_seed = 0;
  for (std::uint64_t k = 0; k < 100; ++k) {
    const Shares shares = policy.split({64, 16, k}, loads).value();
    BOOST_TEST(shares == same.split({64, 16, k}, loads).value(), boost::test_tools::per_element());
    differ += shares != policy.split({64, 16, k + 1}, loads).value();
    differ_by_seed += shares != other.split({64, 16, k}, loads).value();
  }
  BOOST_TEST(differ > 90);
  BOOST_TEST(differ_by_seed > 90);
}

// Uniform on the simplex of four, a share has mean 1/4 and variance 3/80.
BOOST_AUTO_TEST_CASE(all_divisions_are_equally_likely) {
  const std::vector<WorkerLoad> loads(4);
  RandomPolicy policy(3);
  constexpr int count = 4000;
  double sum = 0, squares = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    const double share = policy.split({10000, 16, k}, loads).value()[2] / 10000.0;
    sum += share;
    squares += share * share;
  }
  const double mean = sum / count;
  BOOST_TEST(mean == 0.25, boost::test_tools::tolerance(0.03));
  BOOST_TEST(squares / count - mean * mean == 3.0 / 80, boost::test_tools::tolerance(0.1));
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/balance/oracle.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::trainer;

namespace oracle_test {

using Shares = std::vector<std::uint32_t>;

}  // namespace oracle_test

BOOST_AUTO_TEST_SUITE(oracle_test)

BOOST_AUTO_TEST_CASE(the_split_is_the_best_for_what_is_declared_whatever_was_measured) {
  std::vector<WorkerLoad> loads(4);
  for (WorkerLoad& load : loads) {
    load.speed = {0, 5, 0.1, 9};
    load.declared_sample_s = 1;
  }
  loads[3].declared_sample_s = 4;
  BOOST_TEST(OraclePolicy().split({16, 16, 0}, loads).value() == (Shares{5, 5, 5, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(where_nothing_is_declared_shares_are_equal) {
  std::vector<WorkerLoad> loads(2);
  loads[0].declared_sample_s = 1;
  BOOST_TEST(OraclePolicy().split({16, 16, 0}, loads).value() == (Shares{8, 8}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/balance/fixed.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::trainer;

namespace fixed_test {

using Shares = std::vector<std::uint32_t>;

Shares split(std::vector<double> shares, std::vector<std::uint32_t> workers) {
  std::vector<WorkerLoad> loads(workers.size());
  for (std::size_t i = 0; i < loads.size(); ++i) loads[i].worker = WorkerId(workers[i]);
  return FixedPolicy(std::move(shares)).split({16, 16, 0}, loads).value();
}

}  // namespace fixed_test

BOOST_AUTO_TEST_SUITE(fixed_test)

BOOST_AUTO_TEST_CASE(the_shares_are_those_of_the_job) {
  BOOST_TEST(split({70, 10, 10, 10}, {0, 1, 2, 3}) == (Shares{11, 2, 2, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(split({0.25, 0.75}, {0, 1}) == (Shares{4, 12}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(those_who_are_here_share_what_the_others_had) {
  BOOST_TEST(split({70, 10, 10, 10}, {1, 3}) == (Shares{8, 8}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_shares_for_anybody_here_all_are_equal) {
  BOOST_TEST(split({}, {0, 1}) == (Shares{8, 8}), boost::test_tools::per_element());
  BOOST_TEST(split({1, 0, 0}, {1, 2}) == (Shares{8, 8}), boost::test_tools::per_element());
}

// A replacement beyond the list has no share of its own.
BOOST_AUTO_TEST_CASE(a_worker_beyond_the_list_gets_none) {
  BOOST_TEST(split({1, 1}, {0, 5}) == (Shares{16, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

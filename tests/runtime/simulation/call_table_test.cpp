#include "runtime/simulation/call_table.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <vector>

using namespace slime;
using namespace slime::runtime;

namespace call_table_test {

std::vector<std::uint64_t> calls_to(CallTable& table, std::uint32_t target) {
  std::vector<std::uint64_t> asks;
  table.for_each(target, [&](std::uint64_t, Call& call) { asks.push_back(call.ask); });
  return asks;
}

}  // namespace call_table_test

BOOST_FIXTURE_TEST_SUITE(call_table_test, CallTable)

BOOST_AUTO_TEST_CASE(a_closed_call_is_not_found_even_when_its_place_is_taken) {
  const auto first = open(Call{.target = 3, .ask = 1});
  close(first);
  const auto second = open(Call{.target = 3, .ask = 2});
  BOOST_TEST(first != second);
  BOOST_TEST(!find(first));
  BOOST_REQUIRE(find(second));
  BOOST_TEST(find(second)->ask == 2u);
  BOOST_TEST(size() == 1u);
}

BOOST_AUTO_TEST_CASE(no_call_has_the_id_of_a_tell) {
  BOOST_TEST(open(Call{.target = no_target}) != 0u);
  BOOST_TEST(!find(0));
}

BOOST_AUTO_TEST_CASE(each_target_has_its_own_calls) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t ask = 0; ask < 6; ++ask)
    ids.push_back(open(Call{.target = static_cast<std::uint32_t>(ask % 2), .ask = ask}));
  open(Call{.target = no_target, .ask = 100});
  close(ids[2]);
  close(ids[5]);
  close(ids[1]);
  const std::vector<std::uint64_t> even{4, 0};
  const std::vector<std::uint64_t> odd{3};
  BOOST_TEST(calls_to(*this, 0) == even, boost::test_tools::per_element());
  BOOST_TEST(calls_to(*this, 1) == odd, boost::test_tools::per_element());
  BOOST_TEST(calls_to(*this, 77).empty());
}

BOOST_AUTO_TEST_CASE(the_ids_handed_out_by_for_each_find_their_calls) {
  for (std::uint64_t ask = 0; ask < 4; ++ask) open(Call{.target = 1, .ask = ask});
  std::set<std::uint64_t> found;
  for_each(1, [&](std::uint64_t id, Call& call) {
    BOOST_TEST(find(id) == &call);
    found.insert(id);
  });
  BOOST_TEST(found.size() == 4u);
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/names/named_list.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::trainer;

namespace named_list_test {

struct Entry {
  std::string_view name;
  int value;
};
constexpr std::array list{Entry{"one", 1}, Entry{"two", 2}};

}  // namespace named_list_test

BOOST_AUTO_TEST_SUITE(named_list_test)

BOOST_AUTO_TEST_CASE(names_keep_their_order_and_find_their_entries) {
  constexpr auto names = names_of(list);
  BOOST_TEST(names == (std::array<std::string_view, 2>{"one", "two"}),
             boost::test_tools::per_element());
  BOOST_TEST(find_named(list, "two")->value == 2);
  BOOST_TEST((find_named(list, "tw") == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()

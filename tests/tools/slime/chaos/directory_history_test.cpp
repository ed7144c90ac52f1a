#include "tools/slime/chaos/directory_history.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using slime::tools::DirectoryHistory;

namespace directory_history_test {

constexpr ActorAddress at(std::uint64_t node, std::uint64_t incarnation, std::uint64_t number) {
  return {{node, 1}, incarnation, number};
}

struct History : DirectoryHistory {
  void saw(std::vector<Binding> listing) { DirectoryHistory::saw(listing); }
  bool tells(std::string_view what) const {
    BOOST_TEST_MESSAGE(violation().value_or("nothing"));
    return violation() && violation()->find(what) != std::string::npos;
  }
};

}  // namespace directory_history_test

BOOST_FIXTURE_TEST_SUITE(directory_history_test, History)

BOOST_AUTO_TEST_CASE(names_that_come_go_and_move_on_are_fine) {
  saw({});
  saw({{"a", at(1, 1, 20)}, {"b", at(2, 1, 20)}});
  saw({{"a", at(1, 1, 20)}, {"b", at(3, 1, 20)}});
  saw({{"b", at(2, 2, 17)}});
  saw({{"a", at(1, 1, 21)}, {"b", at(2, 2, 18)}});
  BOOST_TEST(!violation().has_value());
  BOOST_TEST(looks() == 5U);
  BOOST_TEST(names() == 2U);
  BOOST_TEST(moves() == 4U);
}

BOOST_AUTO_TEST_CASE(a_name_that_goes_back_to_a_former_holder_was_read_stale) {
  saw({{"a", at(1, 1, 20)}});
  saw({{"a", at(2, 1, 20)}});
  saw({{"a", at(1, 1, 20)}});
  BOOST_TEST(tells("look 3: a went back to"));
}

// Goal: a head that was just started finds out anew who has died.
BOOST_AUTO_TEST_CASE(a_dead_holder_may_be_seen_until_another_one_was) {
  saw({{"a", at(1, 1, 20)}});
  saw({});
  saw({{"a", at(1, 1, 20)}});
  BOOST_TEST(!violation().has_value());
  saw({});
  saw({{"a", at(2, 1, 20)}});
  saw({});
  saw({{"a", at(1, 1, 20)}});
  BOOST_TEST(tells("look 7: a went back"));
}

BOOST_AUTO_TEST_CASE(an_older_incarnation_of_a_node_never_follows_a_newer_one) {
  saw({{"a", at(1, 2, 20)}});
  saw({{"a", at(2, 1, 20)}});
  saw({{"a", at(1, 1, 90)}});
  BOOST_TEST(tells("to the older"));
}

BOOST_AUTO_TEST_CASE(a_name_has_one_holder_at_a_time) {
  saw({{"a", at(1, 1, 20)}, {"a", at(2, 1, 20)}});
  BOOST_TEST(tells("two holders at once"));
}

BOOST_AUTO_TEST_CASE(the_first_violation_is_the_one_that_is_told) {
  saw({{"a", at(1, 1, 20)}, {"a", at(2, 1, 20)}});
  saw({{"a", at(2, 1, 20)}});
  saw({{"a", at(1, 1, 20)}});
  BOOST_TEST(tells("look 1"));
}

BOOST_AUTO_TEST_SUITE_END()

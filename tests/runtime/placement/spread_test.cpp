#include "runtime/placement/spread.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(spread_test)

BOOST_AUTO_TEST_CASE(the_emptiest_member_with_the_role_is_chosen) {
  const std::vector<Candidate> candidates{{.name = "a", .roles = {"worker"}, .actors = 2},
                                          {.name = "b", .roles = {"worker"}, .actors = 1},
                                          {.name = "c", .roles = {"shard"}, .actors = 0}};
  BOOST_TEST(Spread().choose(candidates, "worker")->name == "b");
}

BOOST_AUTO_TEST_CASE(equally_empty_members_are_taken_by_name) {
  const std::vector<Candidate> candidates{{.name = "b"}, {.name = "a"}, {.name = "c"}};
  BOOST_TEST(Spread().choose(candidates, "")->name == "a");
}

BOOST_AUTO_TEST_SUITE_END()

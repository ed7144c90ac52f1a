#include "runtime/placement/policies.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

using namespace slime::runtime;

// Runs over every policy of the list: what all of them promise.
BOOST_AUTO_TEST_SUITE(policies_test)

BOOST_AUTO_TEST_CASE(names_are_unique_and_find_their_policy) {
  std::set<std::string_view> names;
  for (const PlacementPolicy* policy : placement_policies()) {
    BOOST_TEST(names.insert(policy->name()).second);
    BOOST_TEST(find_placement_policy(policy->name()) == policy);
  }
  BOOST_TEST(!find_placement_policy("no such policy"));
}

BOOST_AUTO_TEST_CASE(no_policy_leaves_the_role_or_minds_the_order) {
  std::vector<Candidate> candidates{{.name = "a", .roles = {"head"}, .actors = 0},
                                    {.name = "b", .roles = {"worker"}, .actors = 3},
                                    {.name = "c", .roles = {"worker", "shard"}, .actors = 1},
                                    {.name = "d", .roles = {"worker"}, .actors = 1}};
  const auto by_name = [](const Candidate& x, const Candidate& y) { return x.name < y.name; };
  for (const PlacementPolicy* policy : placement_policies()) {
    BOOST_TEST_CONTEXT(policy->name()) {
      BOOST_TEST(!policy->choose(candidates, "teacher"));
      BOOST_TEST(!policy->choose({}, ""));
      const std::string chosen = policy->choose(candidates, "worker")->name;
      do {
        const Candidate* again = policy->choose(candidates, "worker");
        BOOST_TEST(again->name == chosen);
        BOOST_TEST(has_role(*again, "worker"));
      } while (std::next_permutation(candidates.begin(), candidates.end(), by_name));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "runtime/placement/policy.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(policy_test)

BOOST_AUTO_TEST_CASE(every_member_has_the_empty_role_and_only_its_own) {
  const Candidate candidate{.name = "a", .roles = {"worker", "shard"}};
  BOOST_TEST(has_role(candidate, ""));
  BOOST_TEST(has_role(candidate, "shard"));
  BOOST_TEST(!has_role(candidate, "work"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "actors/system/types.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "tests/actors/system/small_cluster.hpp"

using namespace slime;
using namespace slime::tests;

BOOST_FIXTURE_TEST_SUITE(types_test, SmallCluster)

BOOST_AUTO_TEST_CASE(the_system_actors_have_the_numbers_that_everyone_knows) {
  std::set<std::pair<std::uint64_t, std::string>> found;
  for (const auto& actor : sim.actors(head))
    found.emplace(actor.address.number, std::string(actor.type));
  const std::set<std::pair<std::uint64_t, std::string>> expected{
      {1, "node_agent"}, {2, "membership"}, {3, "directory"}, {4, "supervisor"}};
  BOOST_TEST((found == expected));
}

BOOST_AUTO_TEST_SUITE_END()

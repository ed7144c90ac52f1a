#include "tools/slime/simulation/timed_actor.hpp"

#include <boost/test/unit_test.hpp>

#include "actors/system/protocols.hpp"
#include "actors/system/types.hpp"
#include "runtime/simulation/simulation.hpp"

using namespace slime;
using runtime::Message;

BOOST_AUTO_TEST_SUITE(timed_actor_test)

// Goal: an actor behaves as it would untimed, and only turns over the named message count.
BOOST_AUTO_TEST_CASE(turns_over_one_message_are_timed_and_change_nothing) {
  tools::TurnTimes times;
  runtime::Simulation simulation(1);
  const NodeId node = simulation.add_node("node");
  const auto type =
      tools::timed(actors::directory_type(), runtime::type_id<schema::Lookup>(), times);
  const actors::Directory directory{simulation.spawn(node, type, {}).value()};
  BOOST_TEST(bool(simulation.call(directory, Message<schema::ListNames>::make())));
  BOOST_TEST(times.count == 0u);
  const auto lookup = Message<schema::Lookup>::make([](auto root) { root.setName("x"); });
  const auto found = simulation.call(directory, lookup);
  BOOST_REQUIRE(!found);
  BOOST_CHECK(found.error().code == Errc::not_found);
  BOOST_TEST(times.count == 1u);
  BOOST_TEST(times.total_s >= times.longest_s);
}

BOOST_AUTO_TEST_SUITE_END()

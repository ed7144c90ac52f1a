#include "runtime/actor/catalogue.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/stage.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;

BOOST_AUTO_TEST_SUITE(catalogue_test)

BOOST_AUTO_TEST_CASE(an_actor_is_made_from_the_spec_of_its_type) {
  Stage stage;
  const NodeId node =
      stage.simulation.add_node("third", {actor_type<Puppet, schema::Note>("puppet")});
  const ActorAddress actor = stage.simulation.spawn(node, "puppet", note(7).any()).value();
  const auto* puppet = static_cast<Puppet*>(stage.simulation.behaviour(actor));
  BOOST_TEST(puppet->spec == 7);
}

BOOST_AUTO_TEST_CASE(a_spec_of_another_type_is_refused) {
  Stage stage;
  const auto type = actor_type<Puppet, schema::Note>("puppet");
  const auto spawned = stage.simulation.spawn(stage.left, type, question(7).any());
  BOOST_REQUIRE(!spawned);
  BOOST_TEST((spawned.error().code == Errc::internal));
  BOOST_TEST(spawned.error().context.find("another type") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

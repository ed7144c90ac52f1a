#include "actors/training/types.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "runtime/simulation/simulation.hpp"
#include "tests/support/puppet.hpp"

using namespace slime;

BOOST_AUTO_TEST_SUITE(types_test)

BOOST_AUTO_TEST_CASE(what_computes_or_waits_for_a_disk_has_a_thread_of_its_own) {
  std::map<std::string, bool> blocking;
  for (const auto& type : actors::training_types()) {
    const bool is_new = blocking.emplace(type.name, type.blocking).second;
    BOOST_TEST(is_new);
  }
  const std::map<std::string, bool> expected{
      {"balancer", false},        {"checkpointer", true},         {"coordinator", false},
      {"parameter_shard", false}, {"performance_monitor", false}, {"worker", true}};
  BOOST_TEST((blocking == expected));
}

BOOST_AUTO_TEST_CASE(a_spec_of_another_type_is_a_failed_spawn) {
  runtime::Simulation simulation(1);
  const NodeId node = simulation.add_node("node", actors::training_types());
  for (const auto& type : actors::training_types())
    BOOST_TEST(!simulation.spawn(node, type.name, tests::note(1).any()));
}

BOOST_AUTO_TEST_SUITE_END()

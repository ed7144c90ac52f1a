#include "actors/training/types.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "runtime/simulation/simulation.hpp"
#include "tests/support/puppet.hpp"

using namespace slime;

BOOST_AUTO_TEST_SUITE(types_test)

BOOST_AUTO_TEST_CASE(each_type_runs_where_its_turns_hold_up_nobody) {
  using runtime::Turns;
  std::map<std::string, Turns> turns;
  for (const auto& type : actors::training_types()) {
    const bool is_new = turns.emplace(type.name, type.turns).second;
    BOOST_TEST(is_new);
  }
  const std::map<std::string, Turns> expected{{"balancer", Turns::brief},
                                              {"checkpoint_copier", Turns::blocking},
                                              {"checkpointer", Turns::blocking},
                                              {"coordinator", Turns::brief},
                                              {"parameter_shard", Turns::computing},
                                              {"performance_monitor", Turns::brief},
                                              {"worker", Turns::blocking}};
  BOOST_TEST((turns == expected));
}

BOOST_AUTO_TEST_CASE(a_spec_of_another_type_is_a_failed_spawn) {
  runtime::Simulation simulation(1);
  const NodeId node = simulation.add_node("node", actors::training_types());
  for (const auto& type : actors::training_types())
    BOOST_TEST(!simulation.spawn(node, type.name, tests::note(1).any()));
}

BOOST_AUTO_TEST_SUITE_END()

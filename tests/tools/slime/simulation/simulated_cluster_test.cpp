#include "tools/slime/simulation/simulated_cluster.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "actors/training/types.hpp"

using namespace slime;
using namespace std::chrono_literals;
using runtime::Message;

namespace simulated_cluster_test {

struct Cluster {
  std::vector<std::string> members() {
    std::vector<std::string> names;
    const actors::Membership membership{cluster.membership()};
    const auto answer =
        cluster.simulation().call(membership, Message<schema::SubscribeMembers>::make(), 5s);
    answer.value().read([&](schema::Members::Reader read) {
      for (const auto member : read.getMembers()) names.emplace_back(member.getName().cStr());
    });
    return names;
  }
  Result<Message<schema::Spawned>> spawn(NodeId machine) {
    return cluster.simulation().call(
        actors::node_agent_of(machine, cluster.simulation().incarnation(machine)),
        Message<schema::Spawn>::make([](schema::Spawn::Builder root) {
          root.setType("parameter_shard");
          root.setSpecType(1);
        }),
        5s);
  }

  tools::SimulatedCluster cluster{1, {.detection = 1s}, actors::training_types()};
};

}  // namespace simulated_cluster_test

BOOST_FIXTURE_TEST_SUITE(simulated_cluster_test, Cluster)

BOOST_AUTO_TEST_CASE(machines_come_and_go_by_name) {
  const NodeId machine = cluster.add_machine("worker-0", "worker");
  BOOST_TEST(members() == std::vector<std::string>({"head", "worker-0"}),
             boost::test_tools::per_element());
  cluster.simulation().kill_node(machine);
  cluster.simulation().run_until(cluster.simulation().now() + 3s);
  BOOST_TEST(cluster.lost(machine));
  BOOST_TEST(members() == std::vector<std::string>{"head"}, boost::test_tools::per_element());
  const NodeId next = cluster.add_machine("worker-0", "worker");
  BOOST_TEST(cluster.simulation().incarnation(next) == 2u);
  BOOST_TEST(members().size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

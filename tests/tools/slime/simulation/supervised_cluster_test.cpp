#include "tools/slime/simulation/supervised_cluster.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "actors/training/types.hpp"

using namespace slime;
using namespace std::chrono_literals;
using runtime::Message;

namespace supervised_cluster_test {

struct Cluster {
  Cluster() {
    cluster.add_node("head", {"head"});
    run(10ms);
  }
  void run(Duration duration) {
    cluster.simulation().run_until(cluster.simulation().now() + duration);
  }
  std::string members() {
    static constexpr const char* states[] = {"alive", "suspect", "dead", "left"};
    std::string all;
    cluster.simulation()
        .call(cluster.membership(), Message<schema::GetMembers>::make(), 5s)
        .value()
        .read([&](schema::Members::Reader read) {
          for (const auto member : read.getMembers())
            all += (all.empty() ? "" : ", ") + std::string(member.getName()) + " " +
                   states[static_cast<int>(member.getState())];
        });
    return all;
  }
  /// Tries again and again, as the nodes do.
  void tend_for(Duration duration) {
    for (Duration passed{}; passed < duration; passed += 100ms) {
      for (const NodeId node : cluster.tend()) refused.push_back(node);
      run(100ms);
    }
  }

  tools::SupervisedCluster cluster{1, {.detection = 1s}, actors::training_types()};
  std::vector<NodeId> refused;
};

}  // namespace supervised_cluster_test

BOOST_FIXTURE_TEST_SUITE(supervised_cluster_test, Cluster)

BOOST_AUTO_TEST_CASE(a_node_of_a_taken_name_joins_when_the_one_before_is_declared_dead) {
  const NodeId first = cluster.add_node("worker-0", {"worker"});
  run(10ms);
  cluster.simulation().kill_node(first);
  cluster.add_node("worker-0", {"worker"});
  tend_for(500ms);
  BOOST_TEST(members() == "head alive, worker-0 alive");
  BOOST_TEST(!cluster.lost(first));
  tend_for(1s);
  BOOST_TEST(members() == "head alive, worker-0 dead, worker-0 alive");
  BOOST_TEST(cluster.lost(first));
  BOOST_TEST(refused.empty());
}

BOOST_AUTO_TEST_CASE(the_next_process_of_the_head_knows_its_members_and_lets_them_in_again) {
  cluster.add_node("worker-0", {"worker"});
  run(10ms);
  cluster.simulation().kill_node(cluster.head());
  BOOST_TEST(!cluster.head_is_sound());
  cluster.restart_head();
  run(10ms);
  BOOST_TEST(members() == "head dead, worker-0 suspect, head alive");
  tend_for(200ms);
  BOOST_TEST(members() == "head dead, worker-0 alive, head alive");
  BOOST_TEST(cluster.head_is_sound());
}

BOOST_AUTO_TEST_CASE(a_head_that_cannot_keep_anything_is_not_sound) {
  cluster.kept().broken = Error{Errc::io_error, "no space left"};
  BOOST_TEST(cluster.head_is_sound());
  cluster.add_node("worker-0", {"worker"});
  run(10ms);
  BOOST_TEST(!cluster.head_is_sound());
}

BOOST_AUTO_TEST_CASE(who_said_goodbye_has_left) {
  const NodeId node = cluster.add_node("worker-0", {"worker"});
  run(10ms);
  cluster.leave(node);
  run(10ms);
  BOOST_TEST(members() == "head alive, worker-0 left");
}

BOOST_AUTO_TEST_SUITE_END()

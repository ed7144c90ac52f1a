#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/system/memory_states.hpp"
#include "actors/system/protocols.hpp"
#include "runtime/cluster/peer_book.hpp"
#include "runtime/cluster/spawner.hpp"
#include "runtime/simulation/simulation.hpp"
#include "tests/support/kept_in_memory.hpp"

namespace slime::tests {

/// A simulated cluster with the real system actors: a node agent on every node; membership,
/// directory, supervisor and state store on the head, which keep what its next process needs. Nodes
/// join by themselves, and their deaths reach the membership as a real link would report them.
class SimCluster {
 public:
  SimCluster(std::uint64_t seed, const runtime::LinkModel& link, runtime::Catalogue catalogue);
  ~SimCluster();

  runtime::Simulation& simulation() { return simulation_; }

  /// Adds a member. The first one is the head.
  NodeId add_node(const std::string& name, std::vector<std::string> roles);
  NodeId head() const { return head_; }

  /// Starts the next process of the head, which was killed. Its link finds those nodes gone that
  /// are; the others do not know of it yet.
  void restart_head();
  /// The living nodes join again, as each does once it finds the head.
  void rejoin();

  actors::Membership membership() const { return {on_head(actors::membership_number)}; }
  actors::Directory directory() const { return {on_head(actors::directory_number)}; }
  actors::Supervisor supervisor() const { return {on_head(actors::supervisor_number)}; }

 private:
  class Node;
  struct Member {
    NodeId node;
    std::string name;
    std::vector<std::string> roles;
  };

  void run_head(Node& inside);
  void run_agent(Node& inside);
  void join(const Member& member);
  void report_lost(NodeId observer, NodeId lost, const std::string& why);

  ActorAddress on_head(std::uint64_t number) const {
    return {head_, simulation_.incarnation(head_), number};
  }

  runtime::Simulation simulation_;
  runtime::Catalogue catalogue_;
  NodeId head_;
  KeptInMemory kept_;
  actors::MemoryStates states_;
  std::list<std::unique_ptr<Node>> nodes_;
  std::list<Member> members_;
};

}  // namespace slime::tests

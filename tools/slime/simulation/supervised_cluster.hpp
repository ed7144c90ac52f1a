#pragma once

#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/system/kept_in_memory.hpp"
#include "actors/system/memory_states.hpp"
#include "actors/system/protocols.hpp"
#include "runtime/cluster/peer_book.hpp"
#include "runtime/cluster/spawner.hpp"
#include "runtime/simulation/simulation.hpp"

namespace slime::tools {

/// A simulated cluster with the real system actors: a node agent on every node; membership,
/// directory, supervisor and state store on the head, which keep what the head's next process
/// needs. Nodes join by themselves, and their deaths reach the membership as a real link would
/// report them. Confined to one thread; in virtual time, so nothing blocks.
class SupervisedCluster {
 public:
  SupervisedCluster(std::uint64_t seed, const runtime::LinkModel& link,
                    runtime::Catalogue catalogue);
  ~SupervisedCluster();

  runtime::Simulation& simulation() { return simulation_; }

  /// Adds a member. The first one is the head.
  NodeId add_node(const std::string& name, std::vector<std::string> roles);
  NodeId head() const { return head_; }

  /// Starts the next process of the head, which was killed. Its link finds those nodes gone that
  /// are; the others do not know of it yet.
  void restart_head();
  /// The living nodes join again, as each does once it finds the head.
  void rejoin();
  /// Those living nodes join that never were let in or lost their head, as each tries again and
  /// again. Returns those that have heard since the last call that they were declared dead: they
  /// will never be let in.
  std::vector<NodeId> tend();
  /// Whether the head has declared the node dead.
  bool lost(NodeId node) const { return lost_.contains(node); }
  /// The node says goodbye; its process is to end then.
  void leave(NodeId node);

  /// What the head keeps. A head whose writes fail has to end: `head_is_sound` says so.
  actors::KeptInMemory& kept() { return kept_; }
  /// Whether the head runs, and all of its system actors.
  bool head_is_sound();

  actors::Membership membership() const { return {on_head(actors::membership_number)}; }
  actors::Directory directory() const { return {on_head(actors::directory_number)}; }
  actors::Supervisor supervisor() const { return {on_head(actors::supervisor_number)}; }

 private:
  class Node;
  struct Member {
    NodeId node;
    std::string name;
    std::vector<std::string> roles;
    bool joined = false;
    bool asking = false;
  };

  void run_head(Node& inside);
  void run_agent(Node& inside);
  void join(Member& member);
  /// The node was declared dead, and hears of it.
  void fenced(NodeId node);
  /// Tells the head again what this node's link has lost, as a node does when it has joined.
  void tell_parted(NodeId observer);
  void report_lost(NodeId observer, NodeId lost, const std::string& why);

  ActorAddress on_head(std::uint64_t number) const {
    return {head_, simulation_.incarnation(head_), number};
  }

  runtime::Simulation simulation_;
  runtime::Catalogue catalogue_;
  NodeId head_;
  actors::KeptInMemory kept_;
  actors::MemoryStates states_;
  std::list<std::unique_ptr<Node>> nodes_;
  std::list<Member> members_;
  std::vector<NodeId> refused_;
  std::set<NodeId> lost_;                 ///< Declared dead.
  std::multimap<NodeId, NodeId> parted_;  ///< Who has lost whom.
};

}  // namespace slime::tools

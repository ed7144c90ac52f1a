#pragma once

#include <list>
#include <set>
#include <string>

#include "actors/system/protocols.hpp"
#include "runtime/simulation/simulation.hpp"

namespace slime::tools {

/// What a simulated run needs of a cluster: machines with real node agents, and on the head the
/// real directory and a *census* that stands for the membership. The real membership tells every
/// node of each change, which for thousands of machines is all that would be simulated; the census
/// tells its subscribers alone. Machines that the head loses are dead to all.
class SimulatedCluster {
 public:
  /// @param catalogue  What can be spawned on each machine.
  SimulatedCluster(std::uint64_t seed, const runtime::LinkModel& link,
                   runtime::Catalogue catalogue);
  ~SimulatedCluster();

  runtime::Simulation& simulation() { return simulation_; }
  NodeId head() const { return head_; }
  ActorAddress membership() const { return on_head(actors::membership_number); }
  ActorAddress directory() const { return on_head(actors::directory_number); }

  /// A machine that runs one actor of its role at a time.
  NodeId add_machine(const std::string& name, const std::string& role);
  /// The head has declared it dead.
  bool lost(NodeId machine) const { return lost_.contains(machine); }

 private:
  class Machine;

  ActorAddress on_head(std::uint64_t number) const {
    return {head_, simulation_.incarnation(head_), number};
  }
  void tell_census(NodeId node, const std::string& role, bool alive);

  runtime::Simulation simulation_;
  runtime::Catalogue catalogue_;
  NodeId head_;
  std::list<Machine> machines_;
  std::set<NodeId> lost_;
};

}  // namespace slime::tools

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "schemas/scenario.capnp.h"
#include "tools/slime/simulation/onlooker.hpp"
#include "tools/slime/simulation/simulated_cluster.hpp"

namespace slime::tools {

/// When there is something to react to, in seconds since the first lease, ascending: a change of a
/// speed, a death, a partition, and who joins or comes back.
std::vector<double> changes_of(schema::Scenario::Reader scenario);

/// The machines of a scenario, and what happens to them. Refers to its arguments.
class FaultPlan {
 public:
  FaultPlan(schema::Scenario::Reader scenario, SimulatedCluster& cluster, const Onlooker& onlooker);

  /// Starts the machines that are there from the start.
  void build();
  /// When something happens next; the end of time when nothing does. Precondition: the run has
  /// started.
  Instant next() const;
  /// Has everything happen that is due now.
  void happen();

 private:
  void plan(double at_s, std::function<void()> action);
  void add_worker(std::uint32_t worker);
  void part(std::uint32_t worker, bool apart);
  NodeId machine_of(std::uint32_t worker) const;

  schema::Scenario::Reader scenario_;
  SimulatedCluster& cluster_;
  const Onlooker& onlooker_;
  std::vector<NodeId> shards_;
  std::vector<NodeId> workers_;  ///< The newest machine that was started for each.
  std::vector<NodeId> parted_;
  std::multimap<double, std::function<void()>> actions_;  ///< By seconds since the first lease.
};

}  // namespace slime::tools

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/error.hpp"
#include "schemas/scenario.capnp.h"
#include "tools/slime/simulation/timed_actor.hpp"

namespace slime::tools {

/// How one run of a scenario went. Everything but `decisions` replays from the seed.
struct SimulatedRun {
  std::string mode{};
  std::string policy{};
  bool fast_reassignment = false;
  double seconds = 0;         ///< Virtual, from the first lease to the last gradient applied.
  double oracle_seconds = 0;  ///< The least in which these machines could do it, noise apart.
  double idle_fraction = 0;   ///< Of the time in which workers were there.
  std::uint64_t share_changes = 0;
  std::uint64_t samples_moved = 0;  ///< Per iteration, summed over the changes.
  std::uint64_t lead = 0;           ///< Iterations that a lease was ahead, at most.
  bool changes = false;             ///< The scenario has something to react to.
  std::optional<std::uint32_t> reaction_iterations{};  ///< To the change that took longest.
  std::uint64_t deliveries = 0;
  std::uint64_t replay_hash = 0;  ///< Of every message, its time and its actors.
  TurnTimes decisions{};          ///< Of the balancer; real.

  double makespan_ratio() const { return seconds / oracle_seconds; }
};

/// Runs coordinator, monitor, balancer, workers and shards in virtual time, as one run of the
/// scenario says. Takes as long as that takes. Errors: timeout (it is not done in a hundred times
/// the least time), internal (what may never happen did; says what), and those of a job that fails.
/// Precondition: the scenario was checked.
Result<SimulatedRun> simulate(schema::Scenario::Reader scenario, schema::Run::Reader run);

}  // namespace slime::tools

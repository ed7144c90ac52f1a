#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/wire/message.hpp"
#include "schemas/job.capnp.h"
#include "tools/slime/chaos/simulated/simulated_faults.hpp"
#include "trainer/data/work_plan.hpp"

namespace slime::tools {

/// The job that a seed trains: small, on made-up data.
struct DrawnJob {
  static constexpr std::uint32_t samples = 103;
  static constexpr std::uint32_t batch = 24;
  static constexpr std::uint32_t block = 4;

  std::string mode = "bsp";
  std::string policy = "equal";
  std::uint32_t workers = 1;
  std::uint32_t shards = 1;
  std::uint32_t epochs = 1;
  std::uint32_t staleness_max = 3;
  std::uint32_t staleness_min = 0;
  std::uint64_t seed = 1;  ///< The job's own.
  bool reproducible = true;
  bool reassigns = true;
  std::vector<double> speeds;
  std::uint64_t checkpoint_every = 0;  ///< Iterations; 0: it keeps none.
  std::uint32_t keep = 1;

  trainer::WorkPlan plan() const {
    return {.samples = samples, .batch = batch, .block = block, .epochs = epochs};
  }
};

/// A fault that is to happen.
struct PlannedStrike {
  const SimulatedFault* fault = nullptr;
  Duration after{};  ///< Since the job was submitted.
  Random random{0};  ///< What the fault draws from.
};

/// What follows from a seed, and from nothing else but the rules.
struct SeedDraw {
  std::uint64_t seed = 0;
  DrawnJob job;
  std::vector<PlannedStrike> strikes;  ///< In order.
};

/// What seeds are drawn by.
struct DrawRules {
  std::vector<const SimulatedFault*> faults;  ///< Not empty.
  /// Settings that are not drawn: how it synchronises, balances and sums, its workers, its shards
  /// and whether it keeps checkpoints. Data, model and length stay the small ones.
  std::optional<runtime::Message<schema::JobSpec>> job;
};

/// Most workers or shards that a simulated job may have.
constexpr std::uint32_t members_max = 8;

/// Pure: equal on every machine. Precondition: `rules.job` has at most `members_max` of each.
SeedDraw draw_seed(std::uint64_t seed, const DrawRules& rules);

/// "bsp with adapt_fr, 3 workers, 2 shards, 2 epochs, a checkpoint every 3 iterations; kill, loss".
std::string to_string(const SeedDraw& draw);

/// The drawn job as a coordinator is given it. @param checkpoints  Its directory; not read where
/// it keeps none.
runtime::Message<schema::JobSpec> spec_of(const DrawnJob& job, const std::string& checkpoints);

}  // namespace slime::tools

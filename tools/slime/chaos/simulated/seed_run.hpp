#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tools/slime/chaos/simulated/planted_bugs.hpp"
#include "tools/slime/chaos/simulated/seed_draw.hpp"
#include "tools/slime/chaos/simulated/seed_outcome.hpp"
#include "tools/slime/chaos/work_folder.hpp"

namespace slime::tools {

/// Runs seeds: the real coordinator, workers, shards, monitor, balancer, checkpointers and system
/// actors, in virtual time, while the faults of the seed happen; then judges what must hold. A seed
/// takes some tens of milliseconds of one processor. Confined to one thread; blocks on the disk,
/// for checkpoints are real ones.
class SeedRun {
 public:
  /// @param bug     Planted in all of its jobs; null: none.
  /// @param folder  For the checkpoints of a seed at a time.
  SeedRun(DrawRules rules, const PlantedBug* bug, WorkFolder folder)
      : rules_(std::move(rules)), bug_(bug), folder_(std::move(folder)) {}

  /// Errors: those of the disk, internal (an undisturbed job does not finish). A violation is an
  /// outcome and no error.
  Result<SeedOutcome> run(std::uint64_t seed);

 private:
  /// The parameters that such a job ends with when nothing happens to it, which do not depend on
  /// who computes them; nothing where that is not promised.
  Result<std::optional<std::string>> undisturbed(const DrawnJob& job);

  DrawRules rules_;
  const PlantedBug* bug_;
  WorkFolder folder_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::string> undisturbed_;
};

}  // namespace slime::tools

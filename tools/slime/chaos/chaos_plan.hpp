#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "tools/slime/chaos/fault_kinds.hpp"
#include "tools/slime/chaos/fault_targets.hpp"

namespace slime::tools {

/// What is done, to whom and when.
struct PlannedFault {
  std::size_t number = 1;  ///< In the plan, from 1.
  const FaultKind* fault = nullptr;
  const FaultTarget* target = nullptr;
  std::uint32_t pick = 0;       ///< Which of the target's choices: this number modulo theirs.
  std::uint64_t iteration = 1;  ///< Not before all iterations before this one were applied,
  bool saving = false;          ///< and then not before a checkpoint is being written,
  Duration delay{};             ///< and so long after that.
  Duration hold{};              ///< How long it lasts; zero where the fault does not pass.
};

/// What a plan is drawn from.
struct ChaosDraw {
  std::uint64_t seed = 1;
  std::vector<const FaultKind*> faults;     ///< Not empty.
  std::vector<const FaultTarget*> targets;  ///< Not empty.
  std::size_t count = 1;                    ///< Of faults.
  std::uint64_t iterations = 1;             ///< Of the whole job.
  bool saves = false;                       ///< The job writes checkpoints on its way.
  Duration pace = std::chrono::seconds(3);  ///< Of a fault's share of the job; delays are shorter.
};

/// Parts of a job with so many faults: one for each, and room for the last ones to happen in, which
/// may be late by then.
inline std::size_t parts_of_job(std::size_t faults) {
  return faults + 2 + faults / 20;
}

/// A pure function of its argument: equal on every machine. Pairs of fault and target are dealt
/// like cards, each once before any comes again. Each fault has its iteration in a part of the job
/// of its own, but a quarter of them follow closely upon the one before. Of the others half wait
/// for a checkpoint to be written, where the job writes any.
std::vector<PlannedFault> draw_plan(const ChaosDraw& draw);

/// "#3 kill shard, pick 7: iteration 120, while saving, after 12 ms".
std::string to_string(const PlannedFault& fault);
/// The same as a JSON object.
std::string planned_json(const PlannedFault& fault);

}  // namespace slime::tools

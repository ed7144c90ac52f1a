#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/slime/chaos/chaos_plan.hpp"
#include "tools/slime/chaos/directory_history.hpp"
#include "tools/slime/chaos/run_trace.hpp"
#include "tools/slime/checkpoint_verification.hpp"

namespace slime::tools {

/// A planned fault that was injected.
struct InjectedFault {
  PlannedFault planned{};
  double at_s = 0;            ///< Since the first command began.
  double held_back_s = 0;     ///< After it was due, for the system to recover from others.
  std::uint64_t reached = 0;  ///< Iterations before this one were applied.
  bool while_saving = false;  ///< A checkpoint was being written.
  std::string done{};         ///< What was done to whom.
};

/// What a job went through and how it came out of it. Plain data.
struct ChaosOutcome {
  explicit ChaosOutcome(RunTrace told) : trace(std::move(told)) {}

  trainer::WorkPlan plan;
  std::size_t planned = 0;
  std::vector<InjectedFault> injected;
  std::size_t commands = 0;  ///< That were started, one after the other.
  bool ended_well = false;   ///< The last of them ended by itself with 0.
  std::string end;           ///< How it ended, with its last line where it did not end well.
  RunTrace trace;
  double seconds = 0;             ///< From the first command's start to the last one's end.
  double held_back_s = 0;         ///< Of all faults.
  std::vector<std::string> left;  ///< Processes of the run that still run.
  /// What its checkpoints are when it is over.
  Result<Verification> checkpoints = Error{Errc::not_found, "nobody looked"};
  std::optional<DirectoryHistory> directory;   ///< Absent: nobody could look into it.
  std::optional<std::string> expected_sha256;  ///< Absent: nothing is promised for such a job.
};

}  // namespace slime::tools

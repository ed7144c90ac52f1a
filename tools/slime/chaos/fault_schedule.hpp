#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tools/slime/chaos/chaos_plan.hpp"

namespace slime::tools {

/// Says when the faults of a plan are due, one after the other. Time is passed in.
class FaultSchedule {
 public:
  explicit FaultSchedule(std::vector<PlannedFault> plan) : plan_(std::move(plan)) {}

  /// The next fault if its moment has come, and from then on until `done`.
  /// @param reached  All iterations before this one were applied at some time.
  /// @param saving   A checkpoint is being written now.
  const PlannedFault* due(Instant now, std::uint64_t reached, bool saving);
  /// Since when `due` gives the fault. Precondition: it does.
  Instant due_since() const { return *moment_ + plan_[injected_].delay; }
  /// The fault that is due was injected.
  void done();

  /// Whether the next fault waits for a checkpoint to be written.
  bool looks_for_saves() const { return armed_ && !moment_; }
  std::size_t injected() const { return injected_; }
  const std::vector<PlannedFault>& plan() const { return plan_; }

 private:
  std::vector<PlannedFault> plan_;
  std::size_t injected_ = 0;
  std::optional<Instant> armed_;   ///< Its iteration is reached since.
  std::optional<Instant> moment_;  ///< From which its delay counts.
};

}  // namespace slime::tools

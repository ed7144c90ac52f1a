#include "tools/slime/chaos/fault_schedule.hpp"

namespace slime::tools {

namespace {

// A job whose checkpoints are further apart is hit at another moment.
constexpr Duration save_within = std::chrono::seconds(20);

}  // namespace

const PlannedFault* FaultSchedule::due(Instant now, std::uint64_t reached, bool saving) {
  if (injected_ == plan_.size()) return nullptr;
  const PlannedFault& next = plan_[injected_];
  if (!armed_ && reached >= next.iteration) armed_ = now;
  if (!armed_) return nullptr;
  if (!moment_ && (!next.saving || saving || now - *armed_ >= save_within)) moment_ = now;
  return moment_ && now >= due_since() ? &next : nullptr;
}

void FaultSchedule::done() {
  ++injected_;
  armed_.reset();
  moment_.reset();
}

}  // namespace slime::tools

#pragma once

#include <optional>

#include "runtime/base/clock.hpp"

namespace slime::actors {

/// The time of a run: from its first grant to its last apply, evaluation excluded.
class RunClock {
 public:
  RunClock() = default;
  /// Goes on at `elapsed`; stands still when it is not `ticking`.
  RunClock(Instant now, Duration elapsed, bool ticking) : started_(now - elapsed) {
    if (!ticking) paused_since_ = now;
  }

  void start(Instant now) {
    if (!started_) started_ = now;
  }
  void pause(Instant now) {
    if (started_ && !paused_since_) paused_since_ = now;
  }
  void resume(Instant now) {
    if (paused_since_) paused_ += now - *paused_since_;
    paused_since_.reset();
  }
  bool started() const { return started_.has_value(); }
  bool ticking() const { return started_ && !paused_since_; }
  Duration elapsed(Instant now) const {
    if (!started_) return Duration::zero();
    return paused_since_.value_or(now) - *started_ - paused_;
  }

 private:
  std::optional<Instant> started_;
  std::optional<Instant> paused_since_;
  Duration paused_{};
};

}  // namespace slime::actors

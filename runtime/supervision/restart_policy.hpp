#pragma once

#include <cstdint>
#include <optional>

#include "runtime/base/clock.hpp"

namespace slime::runtime {

struct RestartLimits {
  std::uint32_t restarts_max = 5;  ///< Between two calm windows; `unlimited` never gives up.
  Duration window = std::chrono::seconds(60);
  Duration backoff = std::chrono::milliseconds(100);  ///< Pause before the first restart.
  Duration backoff_max = std::chrono::seconds(10);

  static constexpr std::uint32_t unlimited = UINT32_MAX;
};

/// Decides whether and when one actor is started again. An actor that ran for a whole window is
/// forgiven its earlier restarts. A start that fails counts like a death, so a constructor that
/// always throws is tried exactly 1 + `restarts_max` times, with pauses that double up to
/// `backoff_max`. Pure; confined to one thread.
class RestartPolicy {
 public:
  explicit RestartPolicy(const RestartLimits& limits) : limits_(limits) {}

  /// The actor runs since `now`.
  void started(Instant now) { running_since_ = now; }
  /// It died, or could not be started. The pause before the next attempt; none: give up.
  std::optional<Duration> failed(Instant now);

  /// Attempts after the first one, ever.
  std::uint32_t restarts() const { return restarts_; }

 private:
  RestartLimits limits_;
  std::optional<Instant> running_since_;
  std::uint32_t recent_ = 0;
  std::uint32_t restarts_ = 0;
};

}  // namespace slime::runtime

#pragma once

#include <chrono>
#include <cstdint>

namespace slime {

/// Clock of the seam between us and the machine: monotonic, no defined epoch. Code is given
/// `Instant`s and never reads a clock itself, so that a simulation can supply its own.
struct MonotonicClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};

using Duration = MonotonicClock::duration;
using Instant = MonotonicClock::time_point;

inline double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
inline Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// Reads the machine's monotonic clock. Only hosts and tools call this; everything else is passed
/// the time.
Instant monotonic_now();

/// Microseconds since 1970, for records that people read; never used to measure or to decide.
std::int64_t wall_clock_us();

}  // namespace slime

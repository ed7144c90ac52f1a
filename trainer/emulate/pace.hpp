#pragma once

#include <cstdint>

#include "runtime/base/clock.hpp"
#include "trainer/emulate/speed_profile.hpp"

namespace slime::trainer {

/// How long one emulated worker's computations last. Deterministic and immutable: any thread may
/// call it, and no call blocks. Whoever asks waits out the answer on its own clock.
class Pace {
 public:
  /// Errors: invalid_argument, as `check`.
  static Result<Pace> make(const EmulationSpec& emulation, WorkerId worker);

  /// Duration of computing `samples` of `iteration`, begun `start` after the run's first grant:
  /// the smallest d with the integral of the speed over [start, start + d] equal to
  /// samples * sample_us * noise_factor(iteration); at most 30 years.
  Duration duration(std::uint64_t iteration, std::uint32_t samples, Duration start) const;

  /// exp(noise * N(0, 1)), independent per worker and iteration; equal for all parts of one.
  double noise_factor(std::uint64_t iteration) const;

 private:
  Pace(const EmulationSpec& emulation, WorkerId worker);

  SpeedProfile profile_;
  double sample_s_;
  double noise_;
  std::uint64_t seed_;
  WorkerId worker_;
};

}  // namespace slime::trainer

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
  /// (samples * sample_us + fixed_us) * noise_factor(iteration); at most 30 years.
  /// @param opens  They are the first of their group, which takes the fixed part.
  Duration duration(std::uint64_t iteration, std::uint32_t samples, Duration start,
                    bool opens = true) const;

  /// exp(noise * N(0, 1)), by chance times a Pareto variate; independent per worker and iteration,
  /// equal for all parts of one.
  double noise_factor(std::uint64_t iteration) const;

 private:
  Pace(const EmulationSpec& emulation, WorkerId worker);

  SpeedProfile profile_;
  double sample_s_;
  double fixed_s_;
  double noise_;
  double tail_chance_;
  double tail_exponent_;
  std::uint64_t seed_;
  WorkerId worker_;
};

}  // namespace slime::trainer

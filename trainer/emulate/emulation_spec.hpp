#pragma once

#include <cstdint>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"

namespace slime::trainer {

/// Times count from the run's first grant.
struct Stall {
  WorkerId worker{};
  double at_s = 0;
  double for_s = 0;  ///< Without progress.
};

struct SpeedChange {
  WorkerId worker{};
  double at_s = 0;
  double speed = 1;  ///< From then on, instead of the one before.
};

/// Declared heterogeneity of a run.
struct EmulationSpec {
  double sample_us = 0;          ///< Microseconds per sample at speed 1.
  double fixed_us = 0;           ///< Microseconds per group of blocks, besides, at speed 1.
  std::vector<double> speeds{};  ///< Relative, by worker id, again from the first; none: all 1.
  double noise = 0;              ///< Sigma of the logarithm of the factor on an iteration's times.
  double tail_chance = 0;        ///< That the factor is multiplied by a Pareto variate.
  double tail_exponent = 1.5;    ///< Of that variate, which is from 1 to 100.
  std::vector<Stall> stalls{};
  std::vector<SpeedChange> changes{};
  std::uint64_t seed = 0;
};

/// Errors: invalid_argument (a value that is not finite or out of its range; `context` names it).
Status check(const EmulationSpec& emulation);

}  // namespace slime::trainer

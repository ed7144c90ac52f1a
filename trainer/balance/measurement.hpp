#pragma once

#include <cstdint>

#include "runtime/base/ids.hpp"

namespace slime::trainer {

/// What one worker spent on its part of one iteration, in seconds. Speed follows from `compute_s`
/// alone: a time from barrier to barrier is equal for all workers and would hide the slow one.
struct Measurement {
  WorkerId worker{};
  std::uint64_t iteration = 0;
  std::uint32_t samples = 0;  ///< Computed by this worker in this iteration; the speed's base.
  double compute_s = 0;       ///< Time computing those samples, without waits of any kind.
  double fetch_s = 0;         ///< From asking for parameters to having them, hidden or not.
  double push_s = 0;          ///< From sending gradients to the last acknowledgement.
  double wait_s = 0;          ///< Without work: from the last computation to the next lease.
  double cpu_s = 0;           ///< Processor time of the whole process.
};

}  // namespace slime::trainer

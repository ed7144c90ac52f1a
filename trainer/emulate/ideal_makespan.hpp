#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "trainer/emulate/emulation_spec.hpp"

namespace slime::trainer {

/// A worker's presence in a run, [join, death), in seconds since the first grant.
struct Lifetime {
  WorkerId worker{};
  double join_s = 0;
  double death_s = std::numeric_limits<double>::infinity();
};

/// The least seconds in which these workers could compute `samples`, if work were divisible without
/// end and moved for nothing: the smallest T with sum_i integral_0^T speed_i(t) dt over its
/// lifetime = samples * sample_us. Stalls count as speed zero, noise as absent. Exact up to
/// rounding. Errors: invalid_argument (as `check`; or all workers die before the work is done).
Result<double> ideal_makespan_s(const EmulationSpec& emulation, std::span<const Lifetime> workers,
                                std::uint64_t samples);

}  // namespace slime::trainer

#pragma once

#include <cstdint>
#include <limits>

#include "actors/training/job_parts.hpp"

namespace slime::tools {

/// How many iterations the mode of a job lets a lease be ahead of the oldest one that is not all
/// applied. Precondition: there is such a mode.
inline std::uint64_t lead_bound(schema::JobSpec::Reader job) {
  const auto mode = actors::mode_of(job).value();
  if (mode->committed()) return 0;
  return mode->on_demand() ? std::numeric_limits<std::uint64_t>::max()
                           : job.getSync().getStalenessMax();
}

}  // namespace slime::tools

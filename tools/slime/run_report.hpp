#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "runtime/base/clock.hpp"
#include "schemas/training.capnp.h"
#include "tools/slime/progress.hpp"
#include "tools/slime/run_result.hpp"

namespace slime::tools {

/// Samples per second over the last two seconds.
class RateMeter {
 public:
  /// @param samples  Applied so far; a smaller number than before starts the count again.
  void add(std::uint64_t samples, Instant now);
  /// 0 until there is something to go by.
  double per_second() const;

 private:
  std::deque<std::pair<Instant, std::uint64_t>> seen_;
};

/// What a coordinator says of its job, as people and scripts read it.
RunProgress run_progress(schema::JobSpec::Reader job, schema::Progress::Reader progress,
                         double samples_per_second);
/// Precondition: the job has finished.
RunResult run_result(schema::JobSpec::Reader job, schema::Progress::Reader progress);

}  // namespace slime::tools

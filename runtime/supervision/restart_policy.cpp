#include "runtime/supervision/restart_policy.hpp"

#include <algorithm>

namespace slime::runtime {

std::optional<Duration> RestartPolicy::failed(Instant now) {
  if (running_since_ && now - *running_since_ >= limits_.window) recent_ = 0;
  running_since_.reset();
  if (limits_.restarts_max != RestartLimits::unlimited && recent_ >= limits_.restarts_max)
    return std::nullopt;
  Duration pause = std::min(limits_.backoff, limits_.backoff_max);
  for (std::uint32_t i = 0; i < recent_ && pause < limits_.backoff_max; ++i)
    pause = std::min(2 * pause, limits_.backoff_max);
  ++recent_;
  ++restarts_;
  return pause;
}

}  // namespace slime::runtime

#include "tools/slime/restart_policy.hpp"

#include <algorithm>

namespace slime::tools {

std::optional<Duration> RestartHistory::next(const RestartPolicy& policy, Duration lived) {
  if (lived >= policy.healthy) restarts_ = 0;
  if (restarts_ >= policy.restarts_max) return std::nullopt;
  Duration pause = policy.pause_first;
  for (unsigned i = 0; i < restarts_ && pause < policy.pause_max; ++i) pause *= 2;
  ++restarts_;
  return std::min(pause, policy.pause_max);
}

}  // namespace slime::tools

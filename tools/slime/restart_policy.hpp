#pragma once

#include <optional>

#include "runtime/base/clock.hpp"

namespace slime::tools {

/// How often and after what pauses a child that ended is started again.
struct RestartPolicy {
  unsigned restarts_max = 5;  ///< So there are at most 1 + this many attempts in a row.
  Duration pause_first = std::chrono::milliseconds(100);  ///< Doubles with each attempt, up to
  Duration pause_max = std::chrono::seconds(10);          ///< this.
  Duration healthy = std::chrono::seconds(60);  ///< Having lived this long, a child is forgiven.
};

/// The restarts of one child in a row. Pure.
class RestartHistory {
 public:
  /// The child ended after it had lived for `lived`. Returns the pause before the next attempt, or
  /// nothing when the attempts are used up.
  std::optional<Duration> next(const RestartPolicy& policy, Duration lived);

  unsigned restarts() const { return restarts_; }

 private:
  unsigned restarts_ = 0;
};

}  // namespace slime::tools

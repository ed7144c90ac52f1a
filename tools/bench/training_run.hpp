#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"

namespace slime::bench {

/// What a training program says of its run in the last line it writes, one JSON object.
struct TrainingResult {
  double seconds = 0;
  double accuracy = 0;              ///< On the test set, at the end.
  std::optional<double> to_target;  ///< Seconds to the first of its target accuracies.
  std::optional<double> makespan_ratio;
};

/// Reads such a line. Errors: invalid_argument (no JSON object, or not that of a run that ended
/// well; names what is missing).
Result<TrainingResult> parse_result(const std::string& line);

/// Runs `command` to its end. Blocks as long as it takes, but for at most `limit`.
/// @param meanwhile  Called with the child's pid every 100 ms or so, from the first line it writes.
/// Errors: io_error (it cannot be started), internal (it ended otherwise than with 0; with the last
/// it said), timeout (it was killed), as `parse_result`.
Result<TrainingResult> run_training(const std::vector<std::string>& command, Duration limit,
                                    const std::function<void(pid_t)>& meanwhile);

/// The child of `parent` one of whose arguments is `name`.
std::optional<pid_t> find_child(pid_t parent, const std::string& name);

}  // namespace slime::bench

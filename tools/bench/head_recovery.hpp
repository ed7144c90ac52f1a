#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::bench {

/// Seconds that a job needs to go on after each of so many kills of its cluster's head, from the
/// start of the head's next process until two more iterations are applied than had been. The head
/// keeps its state in a folder and is started again 0.1 s after its end; nodes for the workers and
/// shards wait for it. All are processes of this machine, on sockets in `scratch`, and end before
/// this returns. Blocks for seconds a kill.
/// @param settings  Of tools/jobs/chaos.toml, as "NAME=VALUE".
/// Errors: io_error, timeout (it has not gone on for long), those of submitting a job.
Result<std::vector<double>> measure_killed_heads(std::vector<std::string> settings,
                                                 std::size_t kills,
                                                 const std::filesystem::path& scratch);

}  // namespace slime::bench

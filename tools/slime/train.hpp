#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime train`: runs a job to its end, on a cluster of its own or on one that is there already.
/// Exit codes: ok; 128 + the signal's number when SIGINT or SIGTERM ended it; otherwise that of
/// what went wrong: usage, not_found, conflict, corrupt, unreachable, deadline, failure.
ExitCode run_train(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

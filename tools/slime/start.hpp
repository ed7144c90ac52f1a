#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime start`: runs a node in the foreground until it is signalled or its cluster ends it.
/// Exit codes: ok (after SIGINT or SIGTERM), unreachable (no head in time, or the head died),
/// denied (another token, version or cluster), conflict (the name, the session or a port is taken,
/// or the cluster declared this node dead), usage, not_found, failure.
ExitCode run_start(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

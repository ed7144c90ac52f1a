#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime status`: lists a cluster's members, supervised actors and jobs.
/// Exit codes: ok, not_found (no live cluster), unreachable, denied, deadline, failure.
ExitCode run_status(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

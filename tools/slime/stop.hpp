#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime stop`: ends every process of the session's cluster on this machine and says which.
/// Exit codes: ok, not_found (no live cluster), partial (some run on), denied, failure.
ExitCode run_stop(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

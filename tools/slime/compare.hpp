#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime compare`: lays runs side by side, from their records.
/// Exit codes: ok, failure, usage, not_found, corrupt, incompatible.
ExitCode run_compare(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

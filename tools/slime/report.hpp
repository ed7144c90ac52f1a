#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime report`: draws what runs did, from their records, as one HTML page.
/// Exit codes: ok, failure, usage, not_found, corrupt, incompatible.
ExitCode run_report(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

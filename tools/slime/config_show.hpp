#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime config show`: prints every setting, then checks the job when a file was given.
/// Exit codes: ok, usage.
ExitCode run_config_show(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

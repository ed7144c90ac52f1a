#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint list`: lists a job's checkpoints and reads each of them whole. Changes
/// nothing; the stores may be in use.
/// Exit codes: ok, not_found (no store or no checkpoint), corrupt (the newest is), usage, failure.
ExitCode run_checkpoint_list(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

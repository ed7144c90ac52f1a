#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint copy`: copies a checkpoint to a second place, from which a job resumes. The
/// stores that it is read from may be in use. A signal ends it; the next try goes on.
/// Exit codes: ok, not_found, conflict (another checkpoint of that name is there, or a process
/// writes to the store there), corrupt, usage, failure, 128 + n.
ExitCode run_checkpoint_copy(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

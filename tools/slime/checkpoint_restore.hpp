#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint restore`: makes the first checkpoint of a job from tensors of another job's, a
/// warm start. The stores that it is read from may be in use.
/// Exit codes: those of `begin_job`.
ExitCode run_checkpoint_restore(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

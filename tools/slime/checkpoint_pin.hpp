#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint pin`: keeps one checkpoint from being removed, by a running job as well as by
/// `prune`. `slime checkpoint unpin`: gives that up. Doing either twice changes nothing more. The
/// stores may be in use.
/// Exit codes: ok, not_found, usage, try_again (somebody removes checkpoints for long), failure.
ExitCode run_checkpoint_pin(std::span<const std::string> arguments, const Console& console);
ExitCode run_checkpoint_unpin(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

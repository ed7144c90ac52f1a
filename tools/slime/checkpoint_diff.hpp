#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint diff`: tells tensor by tensor how the parameters of two checkpoints differ.
/// Changes nothing; the stores may be in use. Exit codes: ok (compared, whether equal or not),
/// usage (also: the models differ), not_found, corrupt, failure.
ExitCode run_checkpoint_diff(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

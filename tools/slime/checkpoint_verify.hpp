#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint verify`: reads checkpoints whole and tells what of them is damaged. Changes
/// nothing; the stores may be in use. Exit codes: ok (all is whole), corrupt, not_found (no store
/// or no such checkpoint), incompatible (a store of a newer version, nothing damaged), usage,
/// failure.
ExitCode run_checkpoint_verify(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

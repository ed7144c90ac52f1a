#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint export`: writes a checkpoint's tensors to a file that other programs read.
/// The file is there whole or not at all; the stores may be in use and stay as they are.
/// Exit codes: ok, not_found (no such checkpoint), conflict (the file exists), corrupt (a block
/// that is wanted), usage, failure, 128 + a signal.
ExitCode run_checkpoint_export(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

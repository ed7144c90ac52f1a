#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint import`: makes a checkpoint of a file of tensors, from which a job starts at
/// iteration 0 with those parameters. The file is read whole before anything is written.
/// Exit codes: ok, usage (the file does not fit the job), not_found, conflict (the store is in
/// use), corrupt (the file or the store is damaged), failure.
ExitCode run_checkpoint_import(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

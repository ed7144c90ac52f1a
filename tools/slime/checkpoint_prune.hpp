#pragma once

#include <span>
#include <string>

#include "storage/pruning.hpp"
#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint prune`: removes the checkpoints of a closed directory that no rule wants; with
/// --dry-run, which may be while a job runs, only tells which.
/// Exit codes: ok, not_found, conflict (a process writes to a store), corrupt, usage, try_again,
/// failure.
ExitCode run_checkpoint_prune(std::span<const std::string> arguments, const Console& console);

/// What became of each, or would. @param removed  It is done.
std::string pruning_text(const storage::PruningPlan& plan, bool removed);
/// One JSON object in one line.
std::string pruning_json(const storage::PruningPlan& plan, bool removed);

}  // namespace slime::tools

#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime chaos JOB.toml [--seed S] [--faults LIST] [--targets LIST] [--count N] [--pace SECONDS]
/// [--expect SHA256] [--set NAME=VALUE]... [--directory DIR] [--dry-run] [--json]`: trains a job on
/// this machine, injects faults meanwhile and checks what must hold whatever happens.
ExitCode run_chaos(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

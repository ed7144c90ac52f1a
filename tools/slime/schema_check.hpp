#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime schema check`: tells whether programs of an older and of a newer schema understand each
/// other's messages and what either has kept. Exit codes: ok (they do), usage (also: a file does
/// not compile), not_found, incompatible.
ExitCode run_schema_check(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

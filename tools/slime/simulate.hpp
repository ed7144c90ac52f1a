#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"

namespace slime::tools {

/// `slime simulate`: the runs of a scenario in virtual time, one after the other.
ExitCode run_simulate(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

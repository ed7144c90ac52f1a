#pragma once

#include <string>
#include <string_view>

#include "tools/slime/simulation/simulated_run.hpp"

namespace slime::tools {

/// One run for a script: a JSON object in one line. What does not replay is under "measured".
std::string run_json(std::string_view scenario, const SimulatedRun& run);

/// The columns of `run_row`, for people.
std::string run_heading();
std::string run_row(const SimulatedRun& run);

}  // namespace slime::tools

#pragma once

#include <span>
#include <string>

#include "tools/slime/record/run_figures.hpp"

namespace slime::tools {

/// A table with a column for each run and a line for each figure. Of many workers only the extremes
/// are shown.
std::string comparison_text(std::span<const RunFigures> runs);

}  // namespace slime::tools

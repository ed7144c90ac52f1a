#pragma once

#include <span>
#include <string>

#include "tools/slime/record/run_story.hpp"

namespace slime::tools {

/// One HTML page about these runs, a section for each, which needs nothing from elsewhere and runs
/// no script. Of runs that did much it shows as much as keeps it under about 5 MB, and says so.
std::string report_page(std::span<const RunStory> stories);

}  // namespace slime::tools

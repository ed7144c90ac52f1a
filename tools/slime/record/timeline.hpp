#pragma once

#include <string>

#include "tools/slime/record/drawing.hpp"
#include "tools/slime/record/run_story.hpp"

namespace slime::tools {

/// The run as an `svg` element: for each worker drawn four `path` elements, of the classes
/// "compute", "wait", "fetch" and "push", and one for each kind of incident that happened.
std::string timeline(const RunStory& story, const DrawingBudget& budget);

}  // namespace slime::tools

#pragma once

#include <string>

#include "tools/slime/record/drawing.hpp"
#include "tools/slime/record/run_story.hpp"

namespace slime::tools {

/// Each worker's share of an iteration over the run's time; a line for each worker drawn.
std::string shares_chart(const RunStory& story, const DrawingBudget& budget);

/// How far each worker's groups ran ahead of the oldest iteration under way, its staleness.
std::string staleness_chart(const RunStory& story, const DrawingBudget& budget);

/// Test accuracy over the run's time, with the job's targets across.
std::string accuracy_chart(const RunStory& story, const DrawingBudget& budget);

/// Test accuracy over the samples that were applied.
std::string learning_chart(const RunStory& story, const DrawingBudget& budget);

}  // namespace slime::tools

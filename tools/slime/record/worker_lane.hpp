#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tools/slime/record/drawing.hpp"
#include "tools/slime/record/run_story.hpp"

namespace slime::tools {

/// A worker's time, as the `d` of four paths: computing and waiting fill a row, fetching and
/// pushing, which may go on beside computing, a lower one.
struct WorkerLane {
  std::string compute, wait, fetch, push;
};

/// Where a lane is drawn.
struct LanePlace {
  Scale x;
  double y = 0;
  double height = 0;  ///< Of the row of computing; the one below has a third.
};

/// Draws the groups of one worker, in the order in which it sealed them. A group is drawn as if it
/// had been computed in one piece that ended when it was sealed. More groups than `bars_max` are
/// drawn as so many columns, filled as far as the worker was busy in them.
WorkerLane worker_lane(std::span<const GroupMark> groups, const LanePlace& at,
                       std::size_t bars_max);

}  // namespace slime::tools

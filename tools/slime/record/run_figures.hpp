#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/slime/record/run_story.hpp"
#include "tools/slime/run_result.hpp"

namespace slime::tools {

struct WorkerFigures {
  std::uint32_t id = 0;
  std::uint64_t samples = 0;
  double idle_fraction = 0;  ///< Of the run's time that it was there for.
};

/// What a run comes to, in the order in which it is shown.
struct RunFigures {
  std::string file;
  std::string name;
  /// What became of it: "finished", "failed", "stopped", "interrupted" (its command ended before
  /// it) or "not ended" (its record has no end).
  std::string how;
  std::string mode;
  std::string policy;
  std::uint32_t shards = 0;
  std::uint64_t iterations = 0;  ///< Applied, over the whole job.
  std::uint64_t samples = 0;     ///< Brought in by this run's workers.
  double seconds = 0;
  std::optional<double> accuracy;  ///< The last that was measured.
  /// Each target accuracy of the job and when it was reached; absent: it was not.
  TargetTimes seconds_to_accuracy;
  std::optional<double> makespan_ratio;  ///< Absent without declared speeds or an end.
  double lead_mean = 0;                  ///< Of the groups that were sealed.
  std::uint32_t lead_max = 0;
  std::uint64_t groups = 0;
  std::uint64_t decisions = 0;  ///< Of shares.
  std::uint64_t deaths = 0;     ///< Of workers at work.
  std::uint64_t rollbacks = 0;
  std::vector<WorkerFigures> workers;  ///< By id.
};

/// From the run's own last report where there is one, otherwise from what it did until then.
RunFigures figures_of(const RunStory& story);

/// One JSON object.
std::string figures_json(const RunFigures& figures);

}  // namespace slime::tools

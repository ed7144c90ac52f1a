#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/record/run_story.hpp"
#include "tools/slime/record/thinned_marks.hpp"

namespace slime::tools {

/// What there is memory for. More is thinned out: see `RunStory::thinned`.
struct StoryLimits {
  std::size_t groups = 1'000'000;
  std::size_t decisions = 200'000;
  std::size_t shares = 2'000'000;  ///< Of all decisions.
  std::size_t evaluations = 100'000;
  std::size_t incidents = 10'000;  ///< Of each kind.

  /// Each run's, where so many are held at once.
  static StoryLimits of_one(std::size_t runs);
};

/// More records than that are not read at once.
inline constexpr std::size_t runs_max = 60;
/// Errors: invalid_argument (there are more).
Status check_runs(std::size_t runs);

/// Reads a record file and believes nothing in it. A last line that is not whole is left out, and
/// the story says so. Blocks on the disk. Errors: not_found, io_error, corruption (with the number
/// of the line), incompatible (a later format).
Result<RunStory> read_story(const std::filesystem::path& file, const StoryLimits& limits = {});

/// Takes a record line by line.
class StoryReader {
 public:
  explicit StoryReader(const StoryLimits& limits)
      : limits_(limits),
        evaluations_(limits.evaluations),
        incidents_(Incident::kinds, ThinnedMarks<Incident>(limits.incidents)) {}

  /// Errors: corruption, incompatible; after one the reader is done for.
  Status add(std::string_view line);
  /// The last line has no end, so it was being written, or its command was killed then.
  void cut() { story_.cut = true; }
  /// Errors: corruption (there is no header).
  Result<RunStory> finish() &&;

 private:
  Status take(schema::RecordLine::Reader line);
  Status take_header(schema::RecordHeader::Reader header);
  Status take_entry(schema::RecordEntry::Reader entry);
  Status take_what(schema::RecordEntry::Reader entry, double run_s);
  Status take_group(schema::GroupSeal::Reader group, double run_s);
  Status take_shares(schema::ShareDecision::Reader decision, double run_s);
  Status take_evaluation(schema::EvaluationResult::Reader result, double run_s);
  Status take_end(schema::RecordEnd::Reader end);
  Status check_worker(std::uint32_t worker) const;
  /// All iterations before this one are applied.
  void reached(std::uint64_t iteration);
  void note(Incident::Kind kind, double run_s, std::string_view text);
  std::vector<Incident> take_incidents();

  StoryLimits limits_;
  bool begun_ = false;
  std::vector<ThinnedMarks<GroupMark>> groups_;  ///< Of each worker.
  ThinnedMarks<DecisionMark> decisions_{0};
  ThinnedMarks<EvaluationMark> evaluations_;
  std::vector<ThinnedMarks<Incident>>
      incidents_;            ///< Of each kind, so that none crowds out others.
  std::uint64_t noted_ = 0;  ///< Incidents.
  RunStory story_;
};

}  // namespace slime::tools

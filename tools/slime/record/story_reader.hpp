#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "runtime/base/error.hpp"
#include "tools/slime/record/run_story.hpp"

namespace slime::tools {

/// Reads a record file and believes nothing in it. A last line that is not whole is left out, and
/// the story says so. Blocks on the disk. Errors: not_found, io_error (or more than there is
/// room for), corruption (with the number of the line), incompatible (a later format).
Result<RunStory> read_story(const std::filesystem::path& file);

/// Takes a record line by line.
class StoryReader {
 public:
  /// @param groups_max  What there is memory for.
  explicit StoryReader(std::size_t groups_max) : groups_max_(groups_max) {}

  /// Errors: corruption, incompatible; after one the reader is done for.
  Status add(std::string_view line);
  /// The last line has no end, so it was being written when the command was killed.
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
  void note(Incident::Kind kind, double run_s, std::string text);

  std::size_t groups_max_;
  std::size_t shares_ = 0;  ///< Of all decisions.
  bool begun_ = false;
  RunStory story_;
};

}  // namespace slime::tools

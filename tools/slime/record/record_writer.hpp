#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/wire/message.hpp"
#include "schemas/record.capnp.h"
#include "tools/slime/descriptor.hpp"
#include "tools/slime/job_client.hpp"

namespace slime::tools {

/// Writes down what a run does, while it does it. Whatever keeps it from that is told once and ends
/// the record, never the run. Confined to one thread; blocks only as far as a disk does, and not on
/// a pipe that nobody reads.
class RecordWriter {
 public:
  /// Makes the file, or empties the one that is there, and the folder for it.
  /// @param complain  Gets a line for people, once at most.
  RecordWriter(std::filesystem::path file, std::function<void(const std::string&)> complain);
  /// Makes a file of its own in `folder` for a run that starts at `wall_us`, whoever else makes
  /// one there: "record-20260131-235959.jsonl".
  static RecordWriter in(const std::filesystem::path& folder, std::int64_t wall_us,
                         std::function<void(const std::string&)> complain);

  /// @param wall_us  When the run started.
  void begin(schema::JobSpec::Reader job, std::uint64_t run, bool resume, std::int64_t wall_us);
  void add(const RecordPiece& piece);
  /// @param reason  Why it failed; empty when it did not.
  void end(const runtime::Message<schema::Progress>& progress, std::string_view reason);

  const std::filesystem::path& file() const { return file_; }
  /// Whether everything so far is in the file.
  bool whole() const { return bool(out_); }

 private:
  /// @param flags  Of `open`, that say what to do with a file that is there.
  RecordWriter(std::filesystem::path file, int flags);

  void write(std::string_view text);
  void give_up(const std::string& why);

  std::filesystem::path file_;
  std::function<void(const std::string&)> complain_;
  Descriptor out_;
};

}  // namespace slime::tools

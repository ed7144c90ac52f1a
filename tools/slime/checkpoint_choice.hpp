#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_selection.hpp"
#include "storage/committed_checkpoints.hpp"
#include "storage/manifest.hpp"
#include "tools/slime/console.hpp"

namespace slime::tools {

/// What a command line calls a checkpoint: "DIRECTORY|JOB.toml[@ITERATION|@newest|@best]".
struct CheckpointName {
  std::string path;
  std::string which = "newest";
};

/// One of a job's checkpoints, and the stores that hold its parts.
struct CheckpointChoice {
  std::shared_ptr<storage::OpenedStores> stores;
  std::string head;  ///< Node whose store has the manifest.
  storage::Manifest manifest;
};

/// Cuts `text` at its last '@', unless a file of that whole name exists.
CheckpointName checkpoint_name(const std::string& text);

/// The stores' folder that `path` is, or that the job file there names. Errors: not_found (no such
/// file, or the job names no folder), invalid_argument (the file is no job).
Result<std::filesystem::path> checkpoint_directory(const std::filesystem::path& path,
                                                   const Environment& environment);

/// What `which` means: an iteration, "newest" or "best". Errors: invalid_argument (none of these).
Result<storage::CheckpointSelector> checkpoint_selector(std::string_view which);

/// The checkpoint that `which` names:
/// - an iteration; of several checkpoints with it, that of the latest term;
/// - "newest": as the job would resume from it, were it whole;
/// - "best": of the highest accuracy among those that were measured, the newest of equals;
///   checkpoints whose manifest is damaged are passed over.
/// Blocks on the disk. Errors: invalid_argument (`which` is none of these), not_found (the context
/// lists which there are), corruption (nothing can be read), io_error.
Result<storage::CommittedCheckpoint> find_checkpoint(storage::OpenedStores& stores,
                                                     std::string_view which);

/// That checkpoint of the stores in `directory`, with its manifest. Reads no parameters. Errors:
/// those of `find_checkpoint`; corruption (its manifest).
Result<CheckpointChoice> choose_checkpoint(const std::filesystem::path& directory,
                                           std::string_view which);

/// The same from what was typed: `checkpoint_name`, `checkpoint_directory`, then the above.
Result<CheckpointChoice> choose_checkpoint(const std::string& text, const Environment& environment);

}  // namespace slime::tools

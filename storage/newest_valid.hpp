#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_id.hpp"
#include "storage/manifest.hpp"

namespace slime::storage {

/// A newer checkpoint that was passed over, and why.
struct SkippedCheckpoint {
  CheckpointId id;
  Error why;
};

struct ValidCheckpoint {
  Manifest manifest;
  std::vector<SkippedCheckpoint> skipped;  ///< Newest first; whoever restores must tell of them.
};

/// Reads every byte of checkpoint `id` in the stores of all nodes under `directory`; node `head`
/// has the manifest. Changes nothing. Waits for the disk. Errors: not_found, corruption, io_error.
Status verify(const std::filesystem::path& directory, const std::string& head, CheckpointId id);

/// The newest checkpoint that passes `verify`. Changes nothing. Waits for the disk.
/// Errors: not_found (no store on the head, or no checkpoint in it), corruption (none is valid;
/// the context tells about each), io_error.
Result<ValidCheckpoint> newest_valid(const std::filesystem::path& directory,
                                     const std::string& head);

}  // namespace slime::storage

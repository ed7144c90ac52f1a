#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "storage/checkpoint_id.hpp"

namespace slime::storage {

/// What one node's store still has of the checkpoints that are committed; each list oldest first.
struct SurvivingParts {
  std::vector<CheckpointId> whole;       ///< It has all that they name of it.
  std::vector<CheckpointId> incomplete;  ///< Some of that is missing or damaged.
};

/// Reads every byte of the parts that checkpoints under `directory` name of `node`; those without
/// any, and those whose manifest cannot be read, are in neither list. Changes nothing. Waits for
/// the disk.
SurvivingParts surviving_parts(const std::filesystem::path& directory, const std::string& node);

}  // namespace slime::storage

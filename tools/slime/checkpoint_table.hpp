#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// One checkpoint in the stores of a job.
struct CheckpointRow {
  std::uint64_t iteration = 0;
  std::uint64_t term = 0;
  std::string store;            ///< Of the head that wrote its manifest.
  std::optional<Error> damage;  ///< Absent: every byte was read and is right.
  bool pinned = false;
  // Of parts whose record can be read; together they are `bytes` when all can.
  std::uint64_t own_bytes = 0;     ///< Stored with this checkpoint.
  std::uint64_t shared_bytes = 0;  ///< Stored with older ones and unchanged since.
  // What the manifest says; nothing when that is damaged.
  std::uint64_t epoch = 0;
  std::uint64_t samples = 0;
  double accuracy = 0;  ///< NaN: not measured.
  std::uint64_t bytes = 0;
  unsigned parts = 0;
  std::int64_t wall_time_us = 0;
};

/// The checkpoints in the stores under `directory`, oldest first, each read whole. Blocks on the
/// disk. Errors: not_found (no folder, or no checkpoint in it), corruption (nothing can be read),
/// io_error.
Result<std::vector<CheckpointRow>> read_checkpoints(const std::filesystem::path& directory);

std::string checkpoints_text(const std::vector<CheckpointRow>& rows);
/// One JSON object in one line: {"ok":…,"checkpoints":[…]}; ok tells of the newest one.
std::string checkpoints_json(const std::vector<CheckpointRow>& rows);

}  // namespace slime::tools

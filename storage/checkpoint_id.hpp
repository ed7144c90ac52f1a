#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slime::storage {

/// Names a checkpoint of a job. Ordered by when it was taken: a rollback raises the term, so what
/// was trained after it is newer than what it threw away, whatever the iterations say.
struct CheckpointId {
  std::uint64_t term = 0;
  std::uint64_t iteration = 0;

  auto operator<=>(const CheckpointId&) const = default;
};

/// "iteration 150 (term 2)".
std::string to_string(CheckpointId id);

/// Keys are fixed-width hexadecimal, so that their order is that of the numbers.
std::string hexadecimal(std::uint64_t value);

/// Catalog keys: "manifest/TERM/ITERATION" and "part/TERM/ITERATION/FIRST/SEGMENT", where SEGMENT
/// tells two writes of one range apart.
inline constexpr std::string_view manifest_prefix = "manifest/";
inline constexpr std::string_view part_prefix = "part/";
std::string manifest_key(CheckpointId id);
std::string part_key(CheckpointId id, std::uint64_t first, std::uint64_t segment);
/// Of which checkpoint a catalog key is; nothing if it is no such key.
std::optional<CheckpointId> checkpoint_of(std::string_view key);

}  // namespace slime::storage

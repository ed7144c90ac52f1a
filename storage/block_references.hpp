#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "storage/part_record.hpp"

namespace slime::storage {

/// Names a stored block.
struct BlockId {
  std::uint64_t segment = 0;
  std::uint32_t plane = 0;
  std::uint64_t block = 0;  ///< Counted over the model.

  auto operator<=>(const BlockId&) const = default;
};

/// The blocks that parts refer to: ascending, each once.
std::vector<BlockId> references(std::span<const PartRecord> parts);
/// The segments that hold them.
std::set<std::uint64_t> segments(std::span<const BlockId> blocks);
/// The blocks that `dropped` refers to and `kept` does not. Both ascend.
std::vector<BlockId> unreferenced(std::span<const BlockId> dropped, std::span<const BlockId> kept);

}  // namespace slime::storage

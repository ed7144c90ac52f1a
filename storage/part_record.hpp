#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_id.hpp"

namespace slime::storage {

/// Parameters in a block, counted from the model's first one: the unit of sharing and of
/// checksums. It is the optimizer's block too, so shard boundaries fall on its multiples.
inline constexpr std::uint64_t block_parameters = 16'384;

/// No optimizer has more slots.
inline constexpr std::uint32_t slots_max = 64;

/// What the writer of a part says about it.
struct PartHeader {
  CheckpointId checkpoint;
  std::uint64_t version = 0;  ///< Of the parameters in this part.
  std::uint64_t first = 0;    ///< First parameter; a multiple of `block_parameters`.
};

/// Where a block's bytes are, and what they must be.
struct BlockReference {
  std::uint64_t segment = 0;  ///< The write that stored it.
  std::uint32_t checksum = 0;
};

/// How to read back a range of parameters with its optimizer slots. Plane 0 holds the values,
/// plane 1 + i holds slot i; every plane is cut into the same blocks.
struct PartRecord {
  std::string key;  ///< In the catalog of its store.
  PartHeader header;
  std::uint64_t count = 0;  ///< Parameters, above 0.
  std::uint32_t slots = 0;
  std::vector<BlockReference> blocks;  ///< By plane, then by position.

  std::uint32_t planes() const { return 1 + slots; }
  std::uint64_t end() const { return header.first + count; }
  std::uint64_t blocks_per_plane() const {
    return (count + block_parameters - 1) / block_parameters;
  }
  /// Number of the first block, counted over the model.
  std::uint64_t first_block() const { return header.first / block_parameters; }
  /// Parameters in block `index` of each plane, counted over the part; the last may be short.
  std::uint64_t block_length(std::uint64_t index) const {
    return std::min(block_parameters, count - index * block_parameters);
  }
  const BlockReference& block(std::uint32_t plane, std::uint64_t index) const {
    return blocks[plane * blocks_per_plane() + index];
  }
  /// Of values and slots.
  std::uint64_t bytes() const { return count * planes() * sizeof(float); }
  /// Of the blocks that were stored with this part. The rest came with parts of older checkpoints,
  /// and stays for this one when those are removed.
  std::uint64_t own_bytes() const;
};

/// The catalog entry of a record, checksum included, and back. `decode` trusts nothing.
/// Errors: corruption, with the key in its context.
std::string encode(const PartRecord& record);
Result<PartRecord> decode(std::string_view key, std::string_view entry);

/// Key of a block in the table of blocks; `block` is counted over the model.
std::string block_key(std::uint64_t segment, std::uint32_t plane, std::uint64_t block);
/// Keys that all blocks of `segment` lie between.
std::string segment_first_key(std::uint64_t segment);
std::string segment_last_key(std::uint64_t segment);
/// The segment of a block's key; 0 if it is no such key. Segments count from 1.
std::uint64_t segment_of(std::string_view key);

}  // namespace slime::storage

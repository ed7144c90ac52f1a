#include "storage/shared_blocks.hpp"

#include <cstring>

#include "storage/checksum.hpp"

namespace slime::storage {

BlockReference SharedBlocks::find(std::uint32_t plane, std::uint64_t index,
                                  std::uint64_t first_block,
                                  std::span<const std::byte> bytes) const {
  if (base_ && (*unchanged_)[index] && !due(index)) return base_->record.block(plane, index);
  const std::uint32_t sum = checksum(bytes);
  const std::uint64_t block = first_block + index;
  for (const auto& part : previous_) {
    if (plane >= part.planes() || block < part.first_block() ||
        block - part.first_block() >= part.blocks_per_plane())
      continue;
    const BlockReference& stored = part.block(plane, block - part.first_block());
    if (stored.checksum != sum) continue;
    // Equal checksums alone would let a damaged block, or by chance another one, pass for this one.
    const auto value = database_.read(Table::blocks, block_key(stored.segment, plane, block));
    if (value && value->size() == bytes.size() &&
        std::memcmp(value->data(), bytes.data(), bytes.size()) == 0)
      return stored;
  }
  return {0, sum};
}

}  // namespace slime::storage

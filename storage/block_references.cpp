#include "storage/block_references.hpp"

#include <algorithm>
#include <iterator>

namespace slime::storage {

std::vector<BlockId> references(std::span<const PartRecord> parts) {
  std::vector<BlockId> blocks;
  for (const auto& part : parts)
    for (std::uint32_t plane = 0; plane < part.planes(); ++plane)
      for (std::uint64_t i = 0; i < part.blocks_per_plane(); ++i)
        blocks.push_back({part.block(plane, i).segment, plane, part.first_block() + i});
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

std::set<std::uint64_t> segments(std::span<const BlockId> blocks) {
  std::set<std::uint64_t> found;
  for (const auto& block : blocks) found.insert(found.end(), block.segment);
  return found;
}

std::vector<BlockId> unreferenced(std::span<const BlockId> dropped, std::span<const BlockId> kept) {
  std::vector<BlockId> left;
  std::set_difference(dropped.begin(), dropped.end(), kept.begin(), kept.end(),
                      std::back_inserter(left));
  return left;
}

}  // namespace slime::storage

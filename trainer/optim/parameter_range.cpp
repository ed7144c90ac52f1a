#include "trainer/optim/parameter_range.hpp"

#include <algorithm>
#include <cassert>

namespace slime::trainer {

namespace {

std::size_t blocks_of(std::size_t parameters) {
  return (parameters + parameter_block - 1) / parameter_block;
}

}  // namespace

std::vector<ParameterRange> cut_into_shards(std::size_t parameters, std::size_t shards) {
  assert(shards > 0);
  const std::size_t blocks = blocks_of(parameters);
  std::vector<ParameterRange> ranges(shards);
  std::size_t first = 0;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    const std::size_t share = blocks / shards + (shard < blocks % shards ? 1 : 0);
    const std::size_t end = std::min(first + share * parameter_block, parameters);
    ranges[shard] = {first, end - first};
    first = end;
  }
  return ranges;
}

std::size_t largest_range(std::size_t parameters, std::size_t shards) {
  return std::ranges::max(cut_into_shards(parameters, shards), {}, &ParameterRange::count).count;
}

std::size_t shards_needed(std::size_t parameters, std::size_t shard_max) {
  const std::size_t blocks_max = shard_max / parameter_block;
  assert(blocks_max > 0);
  const std::size_t enough =
      std::max<std::size_t>(1, (blocks_of(parameters) + blocks_max - 1) / blocks_max);
  // The model's last block may be a small one.
  return enough > 1 && largest_range(parameters, enough - 1) <= shard_max ? enough - 1 : enough;
}

}  // namespace slime::trainer

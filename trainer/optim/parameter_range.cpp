#include "trainer/optim/parameter_range.hpp"

#include <algorithm>
#include <cassert>

namespace slime::trainer {

std::vector<ParameterRange> cut_into_shards(std::size_t parameters, std::size_t shards) {
  assert(shards > 0);
  const std::size_t blocks = (parameters + parameter_block - 1) / parameter_block;
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

}  // namespace slime::trainer

#pragma once

#include <cstddef>
#include <vector>

namespace slime::trainer {

/// Parameters are cut, stored and stepped in blocks of this many, counted from the model's start.
inline constexpr std::size_t parameter_block = 16'384;

/// Consecutive parameters of the model.
struct ParameterRange {
  std::size_t first = 0;
  std::size_t count = 0;

  bool operator==(const ParameterRange&) const = default;
};

/// Cuts a model's parameters into one range per shard, in order and without gaps, all cuts on
/// multiples of `parameter_block`, the sizes at most one block apart. Shards in excess of the
/// blocks get empty ranges. Precondition: shards > 0.
std::vector<ParameterRange> cut_into_shards(std::size_t parameters, std::size_t shards);

/// Parameters of the largest of those ranges. Precondition: shards > 0.
std::size_t largest_range(std::size_t parameters, std::size_t shards);

/// The fewest shards of which none has more than `shard_max` of a model's parameters.
/// Precondition: shard_max >= parameter_block.
std::size_t shards_needed(std::size_t parameters, std::size_t shard_max);

}  // namespace slime::trainer

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace slime::trainer {

/// Which blocks of a shard's range differ, bit for bit, from what they were at moments that
/// somebody marked. A block is so many parameters with their optimizer slots. Not thread-safe; no
/// call blocks.
class BlockChanges {
 public:
  /// @param parameters  Of the range; its blocks are of `parameter_block`, the last may be short.
  explicit BlockChanges(std::size_t parameters);

  /// Names the present moment. Until the first one nothing is compared.
  std::uint64_t mark() { return ++marks_; }
  /// For each block, whether it is as it was at `mark`.
  std::vector<bool> unchanged_since(std::uint64_t mark) const;

  /// Runs `update`, which may write to `values` and `slots` of block `block` and to no other, and
  /// notes whether it changed anything. Costs a copy of the block as long as that is not known to
  /// have changed since the newest mark, and nothing after.
  void watch(std::size_t block, std::span<const float> values,
             std::span<const std::span<float>> slots, const std::function<void()>& update);

 private:
  std::uint64_t marks_ = 0;
  std::vector<std::uint64_t> last_change_;  ///< By block: the marks that there were before it.
  std::vector<float> before_;
};

}  // namespace slime::trainer

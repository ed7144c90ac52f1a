#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::trainer {

/// Sum of float gradients that does not depend on their order or grouping, because it is exact.
///
/// Each part (the gradient sum of one block of samples) is rounded once, to the nearest multiple of
/// 2^-scale_bits, and summed as 64-bit integers. A part's values may reach 2^(42 - scale_bits) and
/// at most 2^20 parts are summed, so that no sum passes 2^62. With the default of 32 bits that is
/// |gradient| <= 1024 per block at a resolution of 2.3e-10: a block of 16 samples with standardised
/// inputs stays below 100 unless training diverges, and the rounding moves the mean gradient of 16
/// such blocks by less than 1e-11. What does not fit is refused before anything is added.
/// Not thread-safe; no call blocks, and only the constructor allocates.
class FixedPointSum {
 public:
  static constexpr int default_scale_bits = 32;
  static constexpr int part_bits = 42;
  static constexpr std::uint32_t parts_max = 1U << 20;

  /// A sum over `size` parameters, all zero. Precondition: 0 <= scale_bits <= part_bits.
  explicit FixedPointSum(std::size_t size, int scale_bits = default_scale_bits);

  /// Adds one part. Leaves the sum untouched on error. Errors: invalid_argument (wrong length, too
  /// many parts), diverged (a value that is not finite or too large for the scale; says which).
  Status add(std::span<const float> part);
  /// Adds the sum of `parts` parts made elsewhere with the same scale, as `sums()` gave it. Leaves
  /// the sum untouched on error. Errors: invalid_argument (wrong length, a value that `parts` parts
  /// cannot reach, too many parts).
  Status add(std::span<const std::int64_t> sums, std::uint32_t parts);

  /// In units of 2^-scale_bits.
  std::span<const std::int64_t> sums() const { return sums_; }
  std::uint32_t parts() const { return parts_; }
  int scale_bits() const { return scale_bits_; }

  /// out[i] = sums()[first + i] 2^-scale_bits, rounded to double where it has more than 53 bits.
  void values(std::size_t first, std::span<double> out) const;
  /// Back to zero.
  void clear();

 private:
  Status check_room(std::size_t size, std::uint32_t parts) const;

  int scale_bits_;
  std::uint32_t parts_ = 0;
  std::vector<std::int64_t> sums_;
};

}  // namespace slime::trainer

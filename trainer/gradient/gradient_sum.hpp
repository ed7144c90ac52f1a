#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/error.hpp"
#include "trainer/compute/fixed_point_sum.hpp"

namespace slime::trainer {

/// The gradient of a group while its blocks are computed: float32 sums, or exact fixed-point ones
/// when the job's reduction is reproducible. Not thread-safe.
class GradientSum {
 public:
  GradientSum(std::size_t parameters, bool reproducible) : floats_(parameters) {
    if (reproducible) fixed_.emplace(parameters);
  }

  bool reproducible() const { return fixed_.has_value(); }
  /// Whether a block was added since the last `clear`.
  bool empty() const { return empty_; }
  void clear() {
    empty_ = true;
    if (fixed_) fixed_->clear();
  }

  /// Where a block's gradient is to be written: overwritten when `scratch_is_fresh()`.
  std::span<float> scratch() { return floats_; }
  /// True: the next gradient overwrites the scratch; false: it is accumulated onto it.
  bool scratch_is_fresh() const { return empty_ || fixed_; }
  /// What the scratch holds is part of the sum now. Errors: those of FixedPointSum::add.
  Status take_scratch() {
    if (fixed_)
      if (Status added = fixed_->add(floats_); !added) return added;
    empty_ = false;
    return ok();
  }

  /// Bytes of the sums of parameters [first, first + count), as they are pushed.
  std::span<const std::byte> bytes(std::size_t first, std::size_t count) const {
    return fixed_ ? std::as_bytes(fixed_->sums().subspan(first, count))
                  : std::as_bytes(std::span<const float>(floats_).subspan(first, count));
  }

 private:
  std::vector<float> floats_;
  std::optional<FixedPointSum> fixed_;
  bool empty_ = true;
};

}  // namespace slime::trainer

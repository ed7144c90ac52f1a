#include "trainer/compute/fixed_point_sum.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <string>

namespace slime::trainer {

namespace {

// Adding 1.5 x 2^52 leaves a value's nearest integer in the low bits of the sum. Unlike a
// conversion instruction this exists as vector code on every x86-64. Needs |value| < 2^51.
constexpr double round_to_integer = 0x1.8p52;

std::int64_t to_fixed(float value, double scale) {
  const double shifted = static_cast<double>(value) * scale + round_to_integer;
  return std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(round_to_integer);
}

}  // namespace

FixedPointSum::FixedPointSum(std::size_t size, int scale_bits)
    : scale_bits_(scale_bits), sums_(size) {
  assert(0 <= scale_bits && scale_bits <= part_bits);
}

Status FixedPointSum::check_room(std::size_t size, std::uint32_t parts) const {
  if (size != sums_.size())
    return Error{Errc::invalid_argument, "adding a gradient of " + std::to_string(size) +
                                             " values to a sum over " +
                                             std::to_string(sums_.size())};
  if (parts > parts_max - parts_)
    return Error{Errc::invalid_argument,
                 "adding " + std::to_string(parts) + " gradients to an exact sum of " +
                     std::to_string(parts_) + ": at most " + std::to_string(parts_max) +
                     " fit; use larger blocks or a smaller batch"};
  return ok();
}

Status FixedPointSum::add(std::span<const float> part) {
  if (Status room = check_room(part.size(), 1); !room) return room;
  const float limit = std::ldexp(1.0F, part_bits - scale_bits_);
  const auto fits = [limit](float value) { return std::fabs(value) <= limit; };
  // Magnitudes are ordered as their bits are, NaN on top; on integers this becomes vector code.
  const auto limit_bits = std::bit_cast<std::int32_t>(limit);
  std::int32_t bad = 0;
  for (float value : part)
    bad |= (std::bit_cast<std::int32_t>(value) & 0x7fffffff) > limit_bits ? 1 : 0;
  if (bad != 0) {
    const auto found = std::find_if_not(part.begin(), part.end(), fits);
    return Error{Errc::diverged, "gradient of parameter " + std::to_string(found - part.begin()) +
                                     " is " + std::to_string(*found) +
                                     "; reproducible sums take finite values up to " +
                                     std::to_string(limit) +
                                     " in a block: training diverges or needs another scale"};
  }
  const double scale = std::ldexp(1.0, scale_bits_);
  for (std::size_t i = 0; i < part.size(); ++i) sums_[i] += to_fixed(part[i], scale);
  ++parts_;
  return ok();
}

Status FixedPointSum::add(std::span<const std::int64_t> sums, std::uint32_t parts) {
  if (Status room = check_room(sums.size(), parts); !room) return room;
  const std::int64_t limit = static_cast<std::int64_t>(parts) << part_bits;
  bool all_fit = true;
  for (std::int64_t value : sums) all_fit &= -limit <= value && value <= limit;
  if (!all_fit)
    return Error{Errc::invalid_argument, "adding " + std::to_string(parts) +
                                             " gradients to an exact sum: a value is larger than "
                                             "so many can add up to"};
  for (std::size_t i = 0; i < sums.size(); ++i) sums_[i] += sums[i];
  parts_ += parts;
  return ok();
}

void FixedPointSum::values(std::size_t first, std::span<double> out) const {
  assert(first + out.size() <= sums_.size());
  const double unit = std::ldexp(1.0, -scale_bits_);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<double>(sums_[first + i]) * unit;
}

void FixedPointSum::clear() {
  std::fill(sums_.begin(), sums_.end(), 0);
  parts_ = 0;
}

}  // namespace slime::trainer

#include "trainer/compute/sums.hpp"

#include <cassert>
#include <cstddef>
#include <limits>

namespace slime::trainer {

bool all_finite(std::span<const float> values) {
  // No early exit and no call per value: this form is one the compiler turns into vector code.
  bool finite = true;
  for (float value : values) {
    const float magnitude = value < 0 ? -value : value;
    finite &= magnitude <= std::numeric_limits<float>::max();
  }
  return finite;
}

void add(std::span<const float> from, std::span<float> to) {
  assert(from.size() == to.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace slime::trainer

#pragma once

#include <cstdint>

namespace slime::trainer {

/// What the learning rate of a late update is multiplied by: 1 / max(1, delay), DynSGD (Jiang et
/// al., SIGMOD 2017: the rate divided by the update's staleness). `delay` is the frontier when the
/// update is applied less the frontier when its parameters were pulled, in iterations; an update
/// applied within the iteration it was pulled in, or the next, counts in full.
constexpr double damping(std::uint64_t delay) {
  return delay <= 1 ? 1.0 : 1.0 / static_cast<double>(delay);
}

}  // namespace slime::trainer

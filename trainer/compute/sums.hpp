#pragma once

#include <span>

namespace slime::trainer {

/// Whether every value is a number. Gradients that fail this are refused, never summed.
bool all_finite(std::span<const float> values);

/// to[i] += from[i]. Precondition: equal sizes.
void add(std::span<const float> from, std::span<float> to);

}  // namespace slime::trainer

#include "trainer/optim/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace slime::trainer {

template <class T>
void Optimizer::apply_in_pieces(const Step& step, std::span<const T> gradient_sum,
                                std::span<float> parameters,
                                std::span<const std::span<float>> slots) const {
  assert(gradient_sum.size() == parameters.size() && slots.size() == this->slots());
  // Small enough for the first-level cache; elementwise work does not notice where it is cut.
  std::array<double, 1'024> gradient;
  std::array<std::span<float>, slots_max> piece_slots;
  for (std::size_t at = 0; at < parameters.size(); at += gradient.size()) {
    const std::size_t count = std::min(gradient.size(), parameters.size() - at);
    for (std::size_t i = 0; i < count; ++i)
      gradient[i] = static_cast<double>(gradient_sum[at + i]) / step.iteration_samples;
    if (step.damping != 1)
      for (std::size_t i = 0; i < count; ++i) gradient[i] *= step.damping;
    for (std::size_t slot = 0; slot < slots.size(); ++slot)
      piece_slots[slot] = slots[slot].subspan(at, count);
    step_elements(step, std::span(gradient).first(count), parameters.subspan(at, count),
                  std::span(piece_slots).first(slots.size()));
  }
}

void Optimizer::apply(const Step& step, std::span<const float> gradient_sum,
                      std::span<float> parameters, std::span<const std::span<float>> slots) const {
  apply_in_pieces(step, gradient_sum, parameters, slots);
}

void Optimizer::apply(const Step& step, std::span<const double> gradient_sum,
                      std::span<float> parameters, std::span<const std::span<float>> slots) const {
  apply_in_pieces(step, gradient_sum, parameters, slots);
}

}  // namespace slime::trainer

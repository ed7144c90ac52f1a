#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace slime::trainer {

/// One update of the parameters, from the gradients of some or all samples of an iteration.
struct Step {
  double learning_rate = 0;  ///< The schedule's, without any correction for this push.
  /// What the gradient sum is divided by: the samples of the whole iteration, whatever part of them
  /// this push brings.
  double iteration_samples = 1;
  double samples = 1;  ///< That the gradient is summed over; equal to the former under BSP.
  double damping = 1;  ///< Factor on this gradient, below 1 for a late one.

  double fraction() const { return samples / iteration_samples; }
};

/// Turns gradients into new parameters. Works element by element, in double, rounding once to the
/// stored float32, so the result does not depend on how parameters are cut into ranges. Immutable:
/// what is remembered between steps lies in the caller's slots. No call blocks or allocates.
class Optimizer {
 public:
  static constexpr std::size_t slots_max = 4;

  virtual ~Optimizer() = default;

  virtual std::string_view name() const = 0;
  /// float32 values kept per parameter, zero at the start; at most `slots_max`.
  virtual std::size_t slots() const = 0;

  /// Applies a step to consecutive parameters. `slots` has one span per slot; they and the gradient
  /// are as long as `parameters`. `gradient_sum` is the sum over `step.samples` samples.
  void apply(const Step& step, std::span<const float> gradient_sum, std::span<float> parameters,
             std::span<const std::span<float>> slots) const;
  /// The same from a sum in double, as exact sums give it.
  void apply(const Step& step, std::span<const double> gradient_sum, std::span<float> parameters,
             std::span<const std::span<float>> slots) const;

 protected:
  /// `gradient` is the sum times damping over `iteration_samples`: this push's part of the mean.
  virtual void step_elements(const Step& step, std::span<const double> gradient,
                             std::span<float> parameters,
                             std::span<const std::span<float>> slots) const = 0;

 private:
  template <class T>
  void apply_in_pieces(const Step& step, std::span<const T> gradient_sum,
                       std::span<float> parameters, std::span<const std::span<float>> slots) const;
};

}  // namespace slime::trainer

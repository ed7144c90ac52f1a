#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "trainer/compute/backend.hpp"

namespace slime::trainer {

/// A parameter tensor as its layer declares it.
struct LayerTensor {
  std::string name;  ///< Within the layer, such as "weight".
  std::vector<std::size_t> shape;
  double initial_bound = 0;  ///< Initial values are uniform in [-bound, bound].
};

/// One step of a feed-forward network. Immutable, so that threads may share it: all state is in
/// the arguments. `parameters` and `gradient` hold the tensors in their declared order, one after
/// the other; inputs, outputs and deltas are row-major, one row per sample.
class Layer {
 public:
  virtual ~Layer() = default;

  /// Values per sample.
  virtual std::size_t inputs() const = 0;
  virtual std::size_t outputs() const = 0;
  virtual std::vector<LayerTensor> tensors() const = 0;

  virtual void forward(Backend& backend, std::span<const float> parameters,
                       std::span<const float> inputs, std::span<float> outputs) const = 0;

  struct Backward {
    std::span<const float> inputs;   ///< As forward had them.
    std::span<const float> outputs;  ///< As forward left them.
    std::span<float> output_deltas;  ///< d(loss)/d(output); its contents are lost.
    std::span<float> input_deltas;   ///< Receives d(loss)/d(input); empty if nobody needs it.
    Store store;                     ///< Of the gradient.
    std::span<float> gradient;       ///< d(loss)/d(parameter), summed over the samples.
  };
  virtual void backward(Backend& backend, std::span<const float> parameters,
                        const Backward& pass) const = 0;
};

}  // namespace slime::trainer

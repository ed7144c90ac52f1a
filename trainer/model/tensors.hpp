#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::trainer {

/// A parameter tensor as checkpoints and model files name it.
struct TensorInfo {
  std::string name;  ///< "0.weight": position of the layer, name within it.
  std::vector<std::uint64_t> shape;
  std::uint64_t first = 0;  ///< Its first value among the model's parameters; there are no gaps.
  std::uint64_t count = 0;  ///< Of its values, in row-major order.

  bool operator==(const TensorInfo&) const = default;
};

/// The tensors of the model that a job describes, in model order, without any of its parameters.
/// @param layers      The job's entries, such as "dense 512 relu".
/// @param input_size  Values in a sample: the product of its shape.
/// Errors: invalid_argument (as of Model::build, or a model larger than any machine holds).
Result<std::vector<TensorInfo>> tensors_of(std::span<const std::string> layers,
                                           std::size_t input_size);

/// "[64, 256]".
std::string shape_text(std::span<const std::uint64_t> shape);

}  // namespace slime::trainer

#include "trainer/model/tensors.hpp"

#include "trainer/model/model.hpp"

namespace slime::trainer {

namespace {

// Low enough that no size of a layer overflows.
constexpr std::size_t inputs_max = std::size_t{1} << 28;

}  // namespace

Result<std::vector<TensorInfo>> tensors_of(std::span<const std::string> layers,
                                           std::size_t input_size) {
  if (input_size > inputs_max)
    return Error{Errc::invalid_argument, "building the model: its samples have " +
                                             std::to_string(input_size) +
                                             " values, more than the " +
                                             std::to_string(inputs_max) + " that a layer takes"};
  const auto model = Model::build(layers, input_size);
  if (!model) return model.error();
  std::vector<TensorInfo> tensors;
  for (const Tensor& tensor : model->tensors())
    tensors.push_back(
        {tensor.name, {tensor.shape.begin(), tensor.shape.end()}, tensor.offset, tensor.size});
  return tensors;
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text;
  for (const std::uint64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

}  // namespace slime::trainer

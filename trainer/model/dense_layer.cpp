#include "trainer/model/dense_layer.hpp"

#include <charconv>
#include <cmath>
#include <string>

namespace slime::trainer {

namespace {

/// Keeps every product of two sizes inside what BLAS takes as an int.
constexpr std::size_t outputs_max = 1U << 20;

class DenseLayer final : public Layer {
 public:
  DenseLayer(std::size_t inputs, std::size_t outputs, bool relu)
      : inputs_(inputs), outputs_(outputs), relu_(relu) {}

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return outputs_; }

  std::vector<LayerTensor> tensors() const override {
    const double gain = relu_ ? 2 : 1;
    const double bound = std::sqrt(3 * gain / static_cast<double>(inputs_));
    return {{"weight", {inputs_, outputs_}, bound}, {"bias", {outputs_}, 0}};
  }

  void forward(Backend& backend, std::span<const float> parameters, std::span<const float> inputs,
               std::span<float> outputs) const override {
    const Product product{.m = outputs.size() / outputs_, .n = outputs_, .k = inputs_};
    backend.multiply(product, inputs, weight(parameters), Store::overwrite, outputs);
    backend.add_bias(parameters.last(outputs_), outputs);
    if (relu_) backend.relu(outputs);
  }

  void backward(Backend& backend, std::span<const float> parameters,
                const Backward& pass) const override {
    const std::size_t samples = pass.outputs.size() / outputs_;
    if (relu_) backend.relu_backward(pass.outputs, pass.output_deltas);
    const Product product{.m = inputs_, .n = outputs_, .k = samples, .transpose_a = true};
    backend.multiply(product, pass.inputs, pass.output_deltas, pass.store, weight(pass.gradient));
    backend.sum_rows(pass.output_deltas, pass.store, pass.gradient.last(outputs_));
    if (pass.input_deltas.empty()) return;
    const Product back{.m = samples, .n = inputs_, .k = outputs_, .transpose_b = true};
    backend.multiply(back, pass.output_deltas, weight(parameters), Store::overwrite,
                     pass.input_deltas);
  }

 private:
  template <class T>
  std::span<T> weight(std::span<T> tensors) const {
    return tensors.first(inputs_ * outputs_);
  }

  std::size_t inputs_;
  std::size_t outputs_;
  bool relu_;
};

}  // namespace

Result<std::unique_ptr<Layer>> make_dense_layer(std::span<const std::string_view> arguments,
                                                std::size_t inputs) {
  if (arguments.empty()) return Error{Errc::invalid_argument, "the number of outputs is missing"};
  const std::string_view number = arguments.front();
  std::size_t outputs = 0;
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), outputs);
  if (failed != std::errc() || end != number.data() + number.size() || outputs == 0 ||
      outputs > outputs_max)
    return Error{Errc::invalid_argument, "the number of outputs is \"" + std::string(number) +
                                             "\", not an integer from 1 to " +
                                             std::to_string(outputs_max)};
  for (std::string_view word : arguments.subspan(1))
    if (word != "relu" || arguments.size() > 2)
      return Error{Errc::invalid_argument, "unexpected \"" + std::string(arguments.back()) + "\""};
  return std::unique_ptr<Layer>(
      std::make_unique<DenseLayer>(inputs, outputs, arguments.size() == 2));
}

}  // namespace slime::trainer

#include "trainer/model/model.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/base/random.hpp"
#include "trainer/model/layers.hpp"

namespace slime::trainer {

namespace {

/// Tells the generators of initial parameters from the other users of the job's seed.
constexpr std::uint64_t initial_parameters_stream = 0x706172616d;  // "param"

/// `count` values at the front of `memory`, which only ever grows.
std::span<float> at_least(std::vector<float>& memory, std::size_t count) {
  if (memory.size() < count) memory.resize(count);
  return std::span(memory).first(count);
}

}  // namespace

Result<Model> Model::build(std::span<const std::string> layers, std::size_t input_size) {
  if (layers.empty() || input_size == 0)
    return Error{Errc::invalid_argument,
                 "building the model: it needs at least one layer and one input, such as layers = "
                 "[\"dense 10\"] on 784 inputs"};
  Model model;
  std::size_t inputs = input_size;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto made = make_layer(layers[i], inputs);
    if (!made)
      return Error{made.error().code, "building the model: layer " + std::to_string(i + 1) +
                                          " of " + std::to_string(layers.size()) + ", \"" +
                                          layers[i] + "\": " + made.error().context};
    Placed placed{std::move(made).value(), offset, 0};
    inputs = placed.layer->outputs();
    for (LayerTensor& tensor : placed.layer->tensors()) {
      std::size_t size = 1;
      for (std::size_t extent : tensor.shape) size *= extent;
      model.tensors_.push_back({std::to_string(i) + "." + tensor.name, std::move(tensor.shape),
                                offset, size, tensor.initial_bound});
      offset += size;
    }
    placed.size = offset - placed.offset;
    model.layers_.push_back(std::move(placed));
  }
  return model;
}

std::size_t Model::parameter_count() const {
  return layers_.back().offset + layers_.back().size;
}

Status Model::check_classes(std::size_t data_classes) const {
  if (data_classes <= classes()) return ok();
  return Error{Errc::invalid_argument, "the data has " + std::to_string(data_classes) +
                                           " classes, but the model's last layer gives only " +
                                           std::to_string(classes()) + " outputs"};
}

void Model::initialise(std::uint64_t seed, std::size_t first, std::span<float> out) const {
  assert(first + out.size() <= parameter_count());
  const std::size_t end = first + out.size();
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const Tensor& tensor = tensors_[i];
    const std::size_t from = std::max(first, tensor.offset);
    const std::size_t to = std::min(end, tensor.offset + tensor.size);
    if (from >= to) continue;
    Random random(seed, initial_parameters_stream, i);
    for (std::size_t skipped = tensor.offset; skipped < from; ++skipped) random.uniform();
    for (std::size_t at = from; at < to; ++at)
      out[at - first] = static_cast<float>((2 * random.uniform() - 1) * tensor.initial_bound);
  }
}

BatchScore Model::forward(Workspace& workspace, std::span<const float> parameters,
                          const Batch& batch) const {
  const std::size_t samples = batch.labels.size();
  assert(parameters.size() == parameter_count());
  assert(samples > 0 && batch.inputs.size() == samples * input_size());
  workspace.outputs_.resize(std::max(workspace.outputs_.size(), layers_.size()));
  std::span<const float> inputs = batch.inputs;
  std::span<float> outputs;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto& [layer, offset, size] = layers_[i];
    outputs = at_least(workspace.outputs_[i], samples * layer->outputs());
    layer->forward(workspace.backend_, parameters.subspan(offset, size), inputs, outputs);
    inputs = outputs;
  }
  const std::span<float> deltas = at_least(workspace.deltas_, outputs.size());
  std::copy(outputs.begin(), outputs.end(), deltas.begin());
  return workspace.backend_.softmax_cross_entropy(batch.labels, deltas);
}

BatchScore Model::gradient(Workspace& workspace, std::span<const float> parameters,
                           const Batch& batch, Store store, std::span<float> gradient_sum) const {
  assert(gradient_sum.size() == parameter_count());
  const std::size_t samples = batch.labels.size();
  const BatchScore score = forward(workspace, parameters, batch);
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const auto& [layer, offset, size] = layers_[i];
    Layer::Backward pass{
        .inputs = batch.inputs,
        .outputs = std::span(workspace.outputs_[i]).first(samples * layer->outputs()),
        .output_deltas = std::span(workspace.deltas_).first(samples * layer->outputs()),
        .input_deltas = {},
        .store = store,
        .gradient = gradient_sum.subspan(offset, size)};
    if (i > 0) {
      pass.inputs = std::span(workspace.outputs_[i - 1]).first(samples * layer->inputs());
      pass.input_deltas = at_least(workspace.next_deltas_, samples * layer->inputs());
    }
    layer->backward(workspace.backend_, parameters.subspan(offset, size), pass);
    std::swap(workspace.deltas_, workspace.next_deltas_);
  }
  return score;
}

BatchScore Model::evaluate(Workspace& workspace, std::span<const float> parameters,
                           const Batch& batch) const {
  return forward(workspace, parameters, batch);
}

}  // namespace slime::trainer

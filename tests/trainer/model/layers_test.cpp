#include "trainer/model/layers.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "runtime/base/random.hpp"
#include "trainer/compute/cpu_backend.hpp"

using namespace slime;
using namespace slime::trainer;

// Every listed layer runs here, as its example has it; adding one adds its cases.
namespace layers_test {

constexpr std::size_t samples = 3;
constexpr std::size_t inputs_per_sample = 6;

std::vector<float> random_values(std::size_t count, Random& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

std::size_t parameter_count(const Layer& layer) {
  std::size_t count = 0;
  for (const LayerTensor& tensor : layer.tensors()) {
    std::size_t size = 1;
    for (std::size_t extent : tensor.shape) size *= extent;
    count += size;
  }
  return count;
}

/// A scalar made of a layer's outputs, whose derivative with respect to each is its weight.
struct Probe {
  const Layer& layer;
  Backend& backend;
  std::vector<float> weights;

  double operator()(const std::vector<float>& parameters, const std::vector<float>& inputs) const {
    std::vector<float> outputs(weights.size());
    layer.forward(backend, parameters, inputs, outputs);
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      sum += static_cast<double>(weights[i]) * static_cast<double>(outputs[i]);
    return sum;
  }
};

/// Counts the derivatives that differ from central differences by more than 5 % of their usual
/// size. A kink of relu inside the step makes a difference wrong by about half its weight; the step
/// is small enough for that to be rare, and large enough for float rounding not to matter.
template <class Evaluate>
std::size_t count_wrong(std::vector<float> at, std::span<const float> derivative,
                        const Evaluate& evaluate) {
  constexpr float step = 1e-3F;
  double squares = 0;
  for (float value : derivative) squares += static_cast<double>(value) * static_cast<double>(value);
  const double tolerance = 0.05 * std::sqrt(squares / static_cast<double>(at.size()));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const float kept = at[i];
    at[i] = kept + step;
    const double above = evaluate(at);
    at[i] = kept - step;
    const double below = evaluate(at);
    at[i] = kept;
    const double numeric = (above - below) / (2 * static_cast<double>(step));
    if (std::abs(numeric - static_cast<double>(derivative[i])) > tolerance) ++wrong;
  }
  return wrong;
}

}  // namespace layers_test

BOOST_AUTO_TEST_SUITE(layers_test)

BOOST_AUTO_TEST_CASE(backward_is_the_derivative_of_forward) {
  const auto backend = make_cpu_backend();
  for (const LayerKind& kind : layer_kinds()) {
    Random random(1);
    const auto layer = make_layer(kind.example, inputs_per_sample).value();
    const auto parameters = random_values(parameter_count(*layer), random);
    const auto inputs = random_values(samples * inputs_per_sample, random);
    const Probe probe{*layer, *backend, random_values(samples * layer->outputs(), random)};

    std::vector<float> outputs(probe.weights.size());
    layer->forward(*backend, parameters, inputs, outputs);
    std::vector<float> output_deltas = probe.weights;
    std::vector<float> input_deltas(inputs.size());
    std::vector<float> gradient(parameters.size());
    layer->backward(*backend, parameters,
                    {inputs, outputs, output_deltas, input_deltas, Store::overwrite, gradient});

    const std::size_t wrong_inputs = count_wrong(
        inputs, input_deltas, [&](const auto& moved) { return probe(parameters, moved); });
    const std::size_t wrong_parameters =
        count_wrong(parameters, gradient, [&](const auto& moved) { return probe(moved, inputs); });
    BOOST_TEST(wrong_inputs <= inputs.size() / 100);
    BOOST_TEST(wrong_parameters <= parameters.size() / 100);
  }
}

BOOST_AUTO_TEST_CASE(a_gradient_can_be_added_onto_another) {
  const auto backend = make_cpu_backend();
  for (const LayerKind& kind : layer_kinds()) {
    Random random(2);
    const auto layer = make_layer(kind.example, inputs_per_sample).value();
    const auto parameters = random_values(parameter_count(*layer), random);
    const auto inputs = random_values(samples * inputs_per_sample, random);
    const auto deltas = random_values(samples * layer->outputs(), random);
    std::vector<float> outputs(deltas.size());
    layer->forward(*backend, parameters, inputs, outputs);
    const auto backward = [&](Store store, std::vector<float>& gradient) {
      std::vector<float> output_deltas = deltas;
      layer->backward(*backend, parameters, {inputs, outputs, output_deltas, {}, store, gradient});
    };
    std::vector<float> alone(parameters.size()), added(parameters.size(), 3);
    backward(Store::overwrite, alone);
    backward(Store::accumulate, added);
    for (std::size_t i = 0; i < alone.size(); ++i)
      BOOST_TEST(std::abs(added[i] - (3 + alone[i])) < 1e-5F);
  }
}

BOOST_AUTO_TEST_CASE(errors_name_what_may_stand_there) {
  const auto context = [](std::string_view entry) {
    const auto made = make_layer(entry, 4);
    return made ? std::string() : made.error().context;
  };
  BOOST_TEST(context("dens 512") ==
             "there is no layer \"dens\"; known: dense; did you mean \"dense\"?");
  BOOST_TEST(context("  ") == "there is no layer \"\"; known: dense");
  BOOST_TEST(context("dense 512 rellu") ==
             "unexpected \"rellu\"; write dense OUTPUTS [relu], such as \"dense 512 relu\"");
  BOOST_TEST(context("\t dense  3   relu ").empty());
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/optim/optimizers.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/random.hpp"
#include "trainer/optim/parameter_range.hpp"

using namespace slime;
using namespace slime::trainer;

// Every listed optimizer runs here; adding one adds its cases.
namespace optimizers_test {

constexpr std::size_t size = 5 * parameter_block + 123;
constexpr OptimizerSettings settings{.momentum = 0.9, .weight_decay = 1e-4};

struct State {
  std::vector<float> parameters;
  std::vector<std::vector<float>> slots;
};

State initial_state(const Optimizer& optimizer) {
  Random random(1);
  State state{std::vector<float>(size), {}};
  for (float& value : state.parameters) value = static_cast<float>(random.normal());
  state.slots.resize(optimizer.slots(), std::vector<float>(size));
  return state;
}

/// Three steps, each shard on its own.
template <class T>
State train(const Optimizer& optimizer, std::size_t shards) {
  State state = initial_state(optimizer);
  for (std::uint64_t step = 0; step < 3; ++step) {
    Random random(2, step);
    std::vector<T> gradient(size);
    for (T& value : gradient) value = static_cast<T>(static_cast<float>(random.normal() * 100));
    for (const ParameterRange& range : cut_into_shards(size, shards)) {
      std::vector<std::span<float>> slots;
      for (auto& slot : state.slots)
        slots.push_back(std::span(slot).subspan(range.first, range.count));
      optimizer.apply(Step{.learning_rate = 0.1, .iteration_samples = 103, .samples = 103},
                      std::span<const T>(gradient).subspan(range.first, range.count),
                      std::span(state.parameters).subspan(range.first, range.count), slots);
    }
  }
  return state;
}

}  // namespace optimizers_test

BOOST_AUTO_TEST_SUITE(optimizers_test)

BOOST_AUTO_TEST_CASE(cutting_into_shards_changes_no_bit) {
  for (std::string_view name : optimizer_names()) {
    const auto optimizer = make_optimizer(name, settings).value();
    BOOST_TEST(optimizer->name() == name);
    const State whole = train<float>(*optimizer, 1);
    for (std::size_t shards = 2; shards <= 8; ++shards) {
      const State cut = train<float>(*optimizer, shards);
      BOOST_TEST((cut.parameters == whole.parameters));
      BOOST_TEST((cut.slots == whole.slots));
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_sums_in_float_and_double_step_alike) {
  for (std::string_view name : optimizer_names()) {
    const auto optimizer = make_optimizer(name, settings).value();
    BOOST_TEST((train<float>(*optimizer, 1).parameters == train<double>(*optimizer, 1).parameters));
  }
}

BOOST_AUTO_TEST_CASE(steps_lead_downhill) {
  for (std::string_view name : optimizer_names()) {
    const auto optimizer = make_optimizer(name, OptimizerSettings{.momentum = 0.5}).value();
    std::vector<float> parameter{3};
    std::vector<std::vector<float>> memory(optimizer->slots(), std::vector<float>(1));
    std::vector<std::span<float>> slots(memory.begin(), memory.end());
    for (int step = 0; step < 300; ++step) {
      const std::vector<float> gradient{2 * parameter[0]};
      optimizer->apply(Step{.learning_rate = 0.05}, gradient, parameter, slots);
    }
    BOOST_TEST(std::abs(parameter[0]) < 0.1F);
  }
}

BOOST_AUTO_TEST_CASE(settings_out_of_range_are_refused_by_name) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double momentum : {-0.1, 1.0, nan}) {
    const auto made = make_optimizer("sgd", {.momentum = momentum});
    BOOST_REQUIRE(!made);
    BOOST_TEST(made.error().context.starts_with("momentum is "));
  }
  for (const double decay : {-0.1, std::numeric_limits<double>::infinity(), nan}) {
    const auto made = make_optimizer("sgd", {.weight_decay = decay});
    BOOST_REQUIRE(!made);
    BOOST_TEST(made.error().context.starts_with("weight_decay is "));
  }
  BOOST_TEST(
      make_optimizer("sdg", {}).error().context.starts_with("there is no optimizer \"sdg\""));
}

BOOST_AUTO_TEST_SUITE_END()

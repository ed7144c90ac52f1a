#include "trainer/optim/sgd.hpp"

#include <cmath>

namespace slime::trainer {

namespace {

class Sgd final : public Optimizer {
 public:
  explicit Sgd(const OptimizerSettings& settings) : settings_(settings) {}

  std::string_view name() const override { return "sgd"; }
  std::size_t slots() const override { return settings_.momentum > 0 ? 1 : 0; }

 protected:
  void step_elements(const Step& step, std::span<const double> gradient,
                     std::span<float> parameters,
                     std::span<const std::span<float>> slots) const override {
    const double decay = settings_.weight_decay * step.fraction();
    if (slots.empty()) {
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const double p = static_cast<double>(parameters[i]);
        parameters[i] = static_cast<float>(p - step.learning_rate * (gradient[i] + decay * p));
      }
      return;
    }
    const double m = settings_.momentum;
    // pow is not rounded alike by all libraries; whole iterations must be.
    const double kept = step.fraction() == 1 ? m : std::pow(m, step.fraction());
    const double rate =
        step.fraction() == 1 ? step.learning_rate : step.learning_rate * (1 - kept) / (1 - m);
    const std::span<float> velocity = slots[0];
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const double p = static_cast<double>(parameters[i]);
      const double v = kept * static_cast<double>(velocity[i]) + gradient[i] + decay * p;
      velocity[i] = static_cast<float>(v);
      parameters[i] = static_cast<float>(p - rate * v);
    }
  }

 private:
  OptimizerSettings settings_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const OptimizerSettings& settings) {
  return std::make_unique<Sgd>(settings);
}

}  // namespace slime::trainer

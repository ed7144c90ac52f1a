#include "trainer/optim/optimizers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "trainer/names/unknown_name.hpp"
#include "trainer/optim/sgd.hpp"

namespace slime::trainer {

namespace {

constexpr std::array<std::string_view, 1> names{"sgd"};
constexpr std::array<std::unique_ptr<Optimizer> (*)(const OptimizerSettings&), names.size()> makers{
    make_sgd};

}  // namespace

std::span<const std::string_view> optimizer_names() {
  return names;
}

Result<std::unique_ptr<Optimizer>> make_optimizer(std::string_view name,
                                                  const OptimizerSettings& settings) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return unknown_name("optimizer", name, names);
  if (!(settings.momentum >= 0 && settings.momentum < 1))
    return Error{Errc::invalid_argument,
                 "momentum is " + std::to_string(settings.momentum) + "; it must lie in [0, 1)"};
  if (!(settings.weight_decay >= 0 && std::isfinite(settings.weight_decay)))
    return Error{Errc::invalid_argument, "weight_decay is " +
                                             std::to_string(settings.weight_decay) +
                                             "; it must be finite and not negative"};
  return makers[static_cast<std::size_t>(found - names.begin())](settings);
}

}  // namespace slime::trainer

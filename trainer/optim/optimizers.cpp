#include "trainer/optim/optimizers.hpp"

#include <array>
#include <cmath>
#include <string>

#include "trainer/names/named_list.hpp"
#include "trainer/names/unknown_name.hpp"
#include "trainer/optim/sgd.hpp"

namespace slime::trainer {

namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Optimizer> (*make)(const OptimizerSettings& settings);
};

constexpr std::array entries{
    Entry{"sgd", make_sgd},
};
constexpr auto names = names_of(entries);

}  // namespace

std::span<const std::string_view> optimizer_names() {
  return names;
}

Result<std::unique_ptr<Optimizer>> make_optimizer(std::string_view name,
                                                  const OptimizerSettings& settings) {
  const Entry* entry = find_named(entries, name);
  if (entry == nullptr) return unknown_name("optimizer", name, names);
  if (!(settings.momentum >= 0 && settings.momentum < 1))
    return Error{Errc::invalid_argument,
                 "momentum is " + std::to_string(settings.momentum) + "; it must lie in [0, 1)"};
  if (!(settings.weight_decay >= 0 && std::isfinite(settings.weight_decay)))
    return Error{Errc::invalid_argument, "weight_decay is " +
                                             std::to_string(settings.weight_decay) +
                                             "; it must be finite and not negative"};
  return entry->make(settings);
}

}  // namespace slime::trainer

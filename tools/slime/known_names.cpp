#include "tools/slime/known_names.hpp"

#include "trainer/balance/policies.hpp"
#include "trainer/data/formats.hpp"
#include "trainer/model/layers.hpp"
#include "trainer/optim/optimizers.hpp"
#include "trainer/sync/modes.hpp"

namespace slime::tools {

namespace {

template <class Entries>
std::vector<std::string_view> names_of(const Entries& entries) {
  std::vector<std::string_view> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

std::vector<std::string_view> copy(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

}  // namespace

KnownNames known_names() {
  return {.modes = names_of(trainer::sync_modes()),
          .policies = names_of(trainer::balance_policies()),
          .optimizers = copy(trainer::optimizer_names()),
          .formats = copy(trainer::format_names()),
          .layers = names_of(trainer::layer_kinds())};
}

}  // namespace slime::tools

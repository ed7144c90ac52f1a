#include "runtime/placement/policies.hpp"

#include <array>

#include "runtime/placement/spread.hpp"

namespace slime::runtime {

std::span<const PlacementPolicy* const> placement_policies() {
  static const Spread spread;
  static const std::array<const PlacementPolicy*, 1> all{&spread};
  return all;
}

const PlacementPolicy* find_placement_policy(std::string_view name) {
  for (const PlacementPolicy* policy : placement_policies())
    if (policy->name() == name) return policy;
  return nullptr;
}

}  // namespace slime::runtime

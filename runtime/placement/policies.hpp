#pragma once

#include <span>
#include <string_view>

#include "runtime/placement/policy.hpp"

namespace slime::runtime {

/// Every placement policy. The policies have no state and live as long as the process.
std::span<const PlacementPolicy* const> placement_policies();
/// Null for an unknown name.
const PlacementPolicy* find_placement_policy(std::string_view name);

}  // namespace slime::runtime

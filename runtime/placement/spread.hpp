#pragma once

#include "runtime/placement/policy.hpp"

namespace slime::runtime {

/// The member with the fewest actors; ties go to the name that sorts first.
class Spread final : public PlacementPolicy {
 public:
  std::string_view name() const override { return "spread"; }
  const Candidate* choose(std::span<const Candidate> candidates,
                          std::string_view role) const override;
};

}  // namespace slime::runtime

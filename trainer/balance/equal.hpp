#pragma once

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// The same number of blocks for every worker, within its bounds; left-over blocks go to the first
/// workers. What systems without balancing do.
class EqualPolicy final : public BalancePolicy {
 public:
  std::string_view name() const override { return "equal"; }
  Result<std::vector<std::uint32_t>> split(std::uint32_t units, std::uint32_t block,
                                           std::span<const WorkerLoad> loads) const override;
};

}  // namespace slime::trainer

#pragma once

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// The same number of blocks for every worker, within its bounds; left-over blocks go to the first
/// workers. Base of those policies that leave it at that and even things out by their work rules.
class EvenPolicy : public BalancePolicy {
 public:
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) final;
};

/// Equal shares: what systems without balancing do.
class EqualPolicy final : public EvenPolicy {
 public:
  std::string_view name() const override { return "equal"; }
};

}  // namespace slime::trainer

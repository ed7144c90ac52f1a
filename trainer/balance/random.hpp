#pragma once

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// Shares drawn anew for every iteration, uniformly among all divisions, for experiments: whatever
/// it draws, a reproducible job ends with the same parameters. They follow from the seed, the
/// iteration and which workers there are. The definition is ours.
class RandomPolicy final : public BalancePolicy {
 public:
  explicit RandomPolicy(std::uint64_t seed) : seed_(seed) {}

  std::string_view name() const override { return "random"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;

 private:
  std::uint64_t seed_;
};

}  // namespace slime::trainer

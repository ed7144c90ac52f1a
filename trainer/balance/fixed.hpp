#pragma once

#include <vector>

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// Shares that the job gives, for experiments: of the workers present, each has its part of the sum
/// of theirs. Without any, or when all of those present have zero, shares are equal.
class FixedPolicy final : public BalancePolicy {
 public:
  /// @param shares  Relative, by worker id, not negative; workers beyond them get none.
  explicit FixedPolicy(std::vector<double> shares) : shares_(std::move(shares)) {}

  std::string_view name() const override { return "fixed"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;

 private:
  std::vector<double> shares_;
};

}  // namespace slime::trainer

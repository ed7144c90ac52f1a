#pragma once

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// AdaptFR, adaptive fast reassignment: the exact min-max split under the measured speeds, applied
/// only when it pays. The published strategy divides in proportion to speed and gives no formulas;
/// the affine model, the dead band and the rules below are ours.
///
/// - Shares stay as they are unless the best split would end the iteration earlier by more than
///   `dead_band`, or a worker has less than half of what is due to it and is still growing.
/// - A share at most doubles per step (from nothing, to one block), measured against the worker's
///   part of all previous shares, so that what a dead worker leaves is taken over at once.
/// - A worker whose fixed cost alone, or whose one block, would be what the others wait for gets
///   nothing.
/// - A worker without measurements counts with the median speed of the others, starts with one
///   block and keeps its share until it is measured. Without any measurement shares are equal.
/// A change of speed needs no rule here: the estimator restarts its averages, and the gain from
/// following it is beyond any dead band.
class AdaptFrPolicy final : public BalancePolicy {
 public:
  std::string_view name() const override { return "adapt_fr"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;
};

/// Smallest relative gain worth a change of shares: max(5 %, sigma sqrt(2 ln n) / sqrt(window)),
/// the second being about the largest of n errors that noise leaves in the estimates. Of workers
/// with unequal noise the least certain one counts.
double dead_band(std::span<const WorkerLoad> loads);

}  // namespace slime::trainer

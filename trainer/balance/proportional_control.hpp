#pragma once

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// Proportional control of the iteration times, "dynamic batching" (Tyagi and Sharma, ACSOS 2020
/// and arXiv 2305.12213; also OmniLearn, arXiv 2503.17469): each worker's share is corrected by its
/// throughput X_i = x_i / t_i times how far its time is from the mean,
///
///     x_i <- x_i - X_i (t_i - mean_j t_j),
///
/// unless no share would change by more than 5 %. The error is smoothed there by an exponential
/// mean; here the monitor's filter does that. Ours is that the result is scaled to the global
/// batch. Their bound on a batch beyond which throughput falls is the worker's `units_max`.
class ProportionalControlPolicy final : public BalancePolicy {
 public:
  std::string_view name() const override { return "proportional_control"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;
};

}  // namespace slime::trainer

#pragma once

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// The published rule: share x_i = B p_i / sum_j p_j with the performance p_i = x_i / t_i of the
/// last iteration. Published in words as the weight-based strategy of Zhu et al. (Research Square
/// rs-1768291, 2022) and, by its abstract, AdaptFR (Li et al., Wireless Networks 26(8), 2020); the
/// formula is ours.
///
/// Where the time has a fixed part, p_i depends on the share it was measured at, and the rule needs
/// several iterations to settle, the more the larger that part is. It has no dead band: shares move
/// with whatever noise the monitor's filter leaves.
class ProportionalPolicy final : public BalancePolicy {
 public:
  std::string_view name() const override { return "proportional"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;
};

}  // namespace slime::trainer

#pragma once

#include <cstdint>
#include <optional>

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// LB-BSP for GPU clusters (Chen et al., "Semi-Dynamic Load Balancing", SoCC 2020): where the time
/// is not linear in the batch, no model is fitted. Once in a window of iterations the straggler,
/// who takes longest, gives a step of its work to the leader, who takes the least time and has
/// memory to spare. When work swings back between the two, the step shrinks and the window grows.
///
/// Only that much is published. Ours are the numbers: windows of 5 iterations, doubled up to 40;
/// the first step is the largest power of two up to a quarter of an equal share, and halves; and
/// that a step after which the leader would take longer than the straggler did is halved as well.
/// Steps only shrink, so that a late change is followed slowly.
class LbBspGpuPolicy final : public BalancePolicy {
 public:
  std::string_view name() const override { return "lb_bsp_gpu"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;

 private:
  struct Pair {
    std::size_t leader, straggler;  ///< Positions in the loads.
  };

  std::optional<Pair> pair(std::span<const WorkerLoad> loads, std::span<const std::uint32_t> shares,
                           std::span<const double> seconds) const;
  void swing_back();

  std::uint64_t window_ = 0;             ///< Iterations; 0 before the first split.
  std::uint64_t window_from_ = 0;        ///< First iteration of the present one.
  std::uint32_t step_ = 0;               ///< Units.
  std::optional<WorkerId> gave_, took_;  ///< Of the latest move.
};

}  // namespace slime::trainer

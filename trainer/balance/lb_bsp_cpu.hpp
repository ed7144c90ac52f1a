#pragma once

#include <map>

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// LB-BSP for CPU clusters (Chen et al., "Semi-Dynamic Load Balancing", SoCC 2020): batches are
/// sized at iteration boundaries in proportion to the speed that each worker is predicted to have
/// in the next iteration, since on CPUs the time is linear in the batch.
///
/// Published is a recurrent network (NARX) over past speeds, CPU and memory use as the predictor.
/// Ours is Holt's linear trend over the speeds of the monitor's filter, v + trend, since the
/// monitor knows no such causes; the prediction stays within half and twice the present speed.
class LbBspCpuPolicy final : public BalancePolicy {
 public:
  std::string_view name() const override { return "lb_bsp_cpu"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;

 private:
  struct Trend {
    double speed = 0;   ///< Samples per second, when last seen.
    double change = 0;  ///< Of it from one iteration to the next, smoothed.
    std::uint64_t iteration = 0;
  };

  std::map<WorkerId, Trend> trends_;  ///< Of the workers of the latest split.
};

}  // namespace slime::trainer

#pragma once

#include <cstdint>
#include <map>

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// AntDT's policy for non-dedicated clusters, AntDT-ND (Xiao et al., arXiv 2404.09679): times are
/// averaged over windows; when a worker takes much longer than the mean of all, batch sizes are
/// chosen anew so that the longest time is least. Between such moments shares stay.
///
/// Ours are the numbers (windows of 10 iterations; "much longer" is 1.2 times) and the mean over a
/// window of the monitor's estimates. Its backup workers are the overdue blocks of the lease
/// protocol. What it does to a straggler that lasts, kill and start elsewhere, is left to whoever
/// runs the cluster; here such a worker has the small share that the split gives it.
class AntDtNdPolicy final : public BalancePolicy {
 public:
  std::string_view name() const override { return "antdt_nd"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;

 private:
  struct Window {
    double speed_sum = 0;  ///< Of samples per second.
    std::uint32_t count = 0;
  };

  std::map<WorkerId, Window> windows_;  ///< Of those measured since `window_from_`.
  std::uint64_t window_from_ = 0;
  std::uint64_t last_iteration_ = 0;
};

}  // namespace slime::trainer

#pragma once

#include "trainer/sync/sync_mode.hpp"

namespace slime::trainer {

/// Dynamic stale synchronous parallel, DSSP (Zhao et al., ICDCS 2019): the threshold of a worker is
/// chosen anew in [s_L, s_U] from recent iteration times, so that it stops where its predicted wait
/// for the slowest one is least.
///
///     wait_i(r) = ceil(e / tau_slow) tau_slow - e,  e = (s_L + r + 1) tau_i
///     s_i       = s_L + the smallest r in [0, s_U - s_L] with the least wait_i(r)
///
/// The published controller looks at the last push of the fastest and of the slowest worker and
/// decides for the fastest one only. Ours decides for every worker and takes them as starting in
/// step, since a mode sees mean times and no moments: e is when worker i has used up its slack, and
/// then it waits until the slowest one next ends an iteration.
class DynamicStaleSynchronous final : public SyncMode {
 public:
  /// A lower threshold above the upper one counts as equal to it.
  DynamicStaleSynchronous(std::uint32_t staleness_min, std::uint32_t staleness_max);

  std::string_view name() const override { return "dssp"; }
  bool committed() const override { return false; }
  std::uint32_t slack(std::size_t worker, std::span<const IterationTiming> workers) const override;

 private:
  std::uint32_t staleness_min_;
  std::uint32_t staleness_max_;
};

}  // namespace slime::trainer

#pragma once

#include "trainer/sync/sync_mode.hpp"

namespace slime::trainer {

/// Dynamic synchronous parallel, DSP (Zhang et al., Sensors 17(10):2172, 2017), and the gate of
/// A-DSP, which is this with shares by AdaptFR. The slack s_i = min(w, alpha_i) of a worker
/// follows from how its iteration times and those of the others scatter. Equal and steady workers
/// with a quick exchange get 0, which paces them as BSP does.
///
/// Published are the weak threshold w, which bounds the staleness, and a dynamic alpha from the
/// monitor; not its formula. Ours: alpha_i is the smallest r <= w whose predicted wait is under
/// 2 % of an iteration, and w if there is none.
///
///     wait_i(r)     = max(0, noise_i(r) + exchange_i(r) - lead_i)
///     noise_i(0)    = c_i sqrt(2 ln n)
///     noise_i(r)    = 0.7 c_i^2 ln n / (r mean_i)        r >= 1
///     exchange_i(r) = max(0, exchange_i - r mean_i)
///     lead_i        = max(0, max_j mean_j - mean_i)
///     c_i^2         = (sigma_i^2 + max_{j != i} sigma_j^2) / 2
///
/// noise_i(0) is the expected maximum of n normal variables. With a cushion of r iterations the
/// leads perform a random walk in a strip of that width, whose loss at the edges falls as 1/r and
/// grows with the variance; the 0.7 was fitted to simulations of n = 2 to 32 workers with lognormal
/// times, sigma 0.05 to 0.4 and r = 1 to 3 (losses above 0.5 % within a third). What a worker is
/// ahead of the slowest on average, no slack wins back (that is the balancer's work), and waiting
/// for it covers noise and exchange: it counts against them.
class DynamicSynchronous final : public SyncMode {
 public:
  /// @param name  Of the two modes that have this gate, the one that it serves.
  explicit DynamicSynchronous(std::uint32_t staleness_max, std::string_view name = "a_dsp")
      : staleness_max_(staleness_max), name_(name) {}

  std::string_view name() const override { return name_; }
  bool committed() const override { return false; }
  std::uint32_t slack(std::size_t worker, std::span<const IterationTiming> workers) const override;

  /// wait_i(r) of the formula above, in seconds: what slack beyond `r` could still save.
  static double predicted_wait_s(std::size_t worker, std::span<const IterationTiming> workers,
                                 std::uint32_t r);

 private:
  std::uint32_t staleness_max_;
  std::string_view name_;
};

}  // namespace slime::trainer

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trainer/balance/adapt_fr.hpp"
#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// AutoT, shares tuned in advance and then frozen (Chinese patent CN110888744, "load balancing by
/// automatic tuning of the workload"; its text could not be had, so the definition is ours):
///
/// 1. Begin with equal shares. A round is 8 iterations, after which each worker's time t_i at its
///    share is known.
/// 2. Remember the shares of the round whose slowest worker was quickest. Stop when
///    max t / mean t - 1 <= 5 % twice in a row, when the next round is predicted to gain less than
///    1 %, or after 10 rounds.
/// 3. Otherwise move by 0.8 of the way to the shares in proportion to speed x_i / t_i: the next
///    round.
/// 4. Freeze the proportions of the best round for the rest of the job, or, with `adapt`, go on
///    from there by AdaptFR: the rounds have varied the shares, and so told the estimator the fixed
///    part of each worker's time, which a constant share does not show.
///
/// The small subset that it tunes on are the job's first iterations, and nothing is thrown away:
/// with a global batch that stays and samples that are used once, shares do not change the model.
/// Who joins later gets the mean of the frozen shares; what a worker that left had goes to the
/// others in proportion. Blind to changes after the freeze, by construction.
class AutoTPolicy final : public BalancePolicy {
 public:
  /// @param adapt  After tuning go on by AdaptFR instead of freezing.
  explicit AutoTPolicy(bool adapt) : adapt_(adapt) {}

  std::string_view name() const override { return "auto_t"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;

  bool tuned() const { return tuned_; }
  std::uint32_t rounds() const { return rounds_; }

 private:
  using Proportions = std::map<WorkerId, double>;

  /// The proportions of those present, in the order of the loads.
  std::vector<double> weights(std::span<const WorkerLoad> loads) const;
  bool same_workers(std::span<const WorkerLoad> loads) const;
  void adopt(std::span<const WorkerLoad> loads, std::span<const double> shares);
  void end_round(const SplitTask& task, std::span<const WorkerLoad> loads);

  bool adapt_;
  AdaptFrPolicy adapt_fr_;
  Proportions present_;  ///< Adds up to 1.
  Proportions best_;
  double best_s_ = 0;  ///< Of the slowest worker in the best round; 0 before the first one.
  std::uint32_t rounds_ = 0;
  std::uint32_t balanced_ = 0;    ///< Rounds in a row.
  std::uint64_t round_from_ = 0;  ///< First iteration of the present round.
  bool tuned_ = false;
};

}  // namespace slime::trainer

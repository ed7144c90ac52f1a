#include "trainer/balance/auto_t.hpp"

#include <algorithm>
#include <numeric>

#include "trainer/balance/load_speeds.hpp"

namespace slime::trainer {

namespace {

constexpr std::uint64_t round_iterations = 8;
constexpr std::uint32_t rounds_max = 10;
constexpr double damping = 0.8;
constexpr double imbalance_allowed = 0.05;
constexpr double gain_minimum = 0.01;

double largest(std::span<const double> values) {
  return *std::max_element(values.begin(), values.end());
}

}  // namespace

std::vector<double> AutoTPolicy::weights(std::span<const WorkerLoad> loads) const {
  double known = 0;
  double sum = 0;
  for (const WorkerLoad& load : loads) {
    const auto found = present_.find(load.worker);
    if (found == present_.end()) continue;
    known += 1;
    sum += found->second;
  }
  std::vector<double> result;
  for (const WorkerLoad& load : loads) {
    const auto found = present_.find(load.worker);
    result.push_back(sum == 0 ? 1 : found == present_.end() ? sum / known : found->second);
  }
  return result;
}

bool AutoTPolicy::same_workers(std::span<const WorkerLoad> loads) const {
  return loads.size() == present_.size() &&
         std::ranges::all_of(
             loads, [this](const WorkerLoad& load) { return present_.contains(load.worker); });
}

void AutoTPolicy::adopt(std::span<const WorkerLoad> loads, std::span<const double> shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  present_.clear();
  for (std::size_t i = 0; i < loads.size(); ++i) present_[loads[i].worker] = shares[i] / total;
}

void AutoTPolicy::end_round(const SplitTask& task, std::span<const WorkerLoad> loads) {
  const std::vector<double> now = present_shares(task.units, loads);
  const std::vector<double> seconds = share_seconds(task, loads, now);
  const double slowest = largest(seconds);
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  if (best_s_ == 0 || slowest < best_s_) {
    best_s_ = slowest;
    best_ = present_;
  }
  balanced_ = slowest <= (1 + imbalance_allowed) * mean ? balanced_ + 1 : 0;

  std::vector<double> target = present_speeds(task, loads);
  const double speed = std::accumulate(target.begin(), target.end(), 0.0);
  for (double& share : target) share *= task.units / speed;
  const double gain = 1 - largest(share_seconds(task, loads, target)) / slowest;
  if (balanced_ == 2 || gain < gain_minimum || ++rounds_ == rounds_max) {
    tuned_ = true;
    present_ = best_;
    return;
  }
  for (std::size_t i = 0; i < target.size(); ++i)
    target[i] = now[i] + damping * (target[i] - now[i]);
  adopt(loads, target);
  round_from_ = task.iteration;
}

Result<std::vector<std::uint32_t>> AutoTPolicy::split(const SplitTask& task,
                                                      std::span<const WorkerLoad> loads) {
  if (tuned_ && adapt_) return adapt_fr_.split(task, loads);
  if (!tuned_ && !loads.empty()) {
    if (!same_workers(loads)) {
      // What was measured with others is not comparable.
      adopt(loads, weights(loads));
      best_s_ = 0;
      balanced_ = 0;
      round_from_ = task.iteration;
    } else if (!std::ranges::all_of(loads, measured)) {
      round_from_ = task.iteration;
    } else if (task.iteration >= round_from_ + round_iterations) {
      end_round(task, loads);
    }
  }
  return split_in_proportion(task.units, weights(loads), loads);
}

}  // namespace slime::trainer

#include "trainer/balance/lb_bsp_gpu.hpp"

#include <algorithm>
#include <bit>

#include "trainer/balance/equal.hpp"
#include "trainer/balance/load_speeds.hpp"

namespace slime::trainer {

namespace {

constexpr std::uint64_t window_first = 5;
constexpr std::uint64_t window_max = 40;

}  // namespace

std::optional<LbBspGpuPolicy::Pair> LbBspGpuPolicy::pair(std::span<const WorkerLoad> loads,
                                                         std::span<const std::uint32_t> shares,
                                                         std::span<const double> seconds) const {
  std::optional<std::size_t> leader, straggler;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (shares[i] < loads[i].units_max && (!leader || seconds[i] < seconds[*leader])) leader = i;
    if (shares[i] > loads[i].units_min && (!straggler || seconds[i] > seconds[*straggler]))
      straggler = i;
  }
  if (!leader || !straggler || seconds[*leader] >= seconds[*straggler]) return std::nullopt;
  return Pair{*leader, *straggler};
}

void LbBspGpuPolicy::swing_back() {
  step_ = std::max(1u, step_ / 2);
  window_ = std::min(window_max, 2 * window_);
}

Result<std::vector<std::uint32_t>> LbBspGpuPolicy::split(const SplitTask& task,
                                                         std::span<const WorkerLoad> loads) {
  if (!any_measured(loads)) return EqualPolicy().split(task, loads);
  auto shares = split_in_proportion(task.units, present_shares(task.units, loads), loads);
  if (!shares) return shares;
  if (window_ == 0) {
    window_ = window_first;
    window_from_ = task.iteration;
    const auto quarter = static_cast<std::uint32_t>(task.units / (4 * loads.size()));
    step_ = std::bit_floor(std::max(1u, quarter));
  }
  if (task.iteration < window_from_ + window_) return shares;
  window_from_ = task.iteration;
  const auto seconds_of = [&](std::span<const std::uint32_t> given) {
    return share_seconds(task, loads, std::vector<double>(given.begin(), given.end()));
  };
  const std::vector<double> seconds = seconds_of(*shares);
  const auto found = pair(loads, *shares, seconds);
  if (!found) return shares;
  const auto [leader, straggler] = *found;
  if (gave_ == loads[leader].worker && took_ == loads[straggler].worker) swing_back();
  for (std::uint32_t step = step_; step > 0; step /= 2) {
    const std::uint32_t moved = std::min({step, (*shares)[straggler] - loads[straggler].units_min,
                                          loads[leader].units_max - (*shares)[leader]});
    std::vector<std::uint32_t> next = *shares;
    next[straggler] -= moved;
    next[leader] += moved;
    if (seconds_of(next)[leader] >= seconds[straggler]) continue;
    step_ = step;
    gave_ = loads[straggler].worker;
    took_ = loads[leader].worker;
    return next;
  }
  return shares;
}

}  // namespace slime::trainer

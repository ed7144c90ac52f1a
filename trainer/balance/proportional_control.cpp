#include "trainer/balance/proportional_control.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trainer/balance/equal.hpp"
#include "trainer/balance/load_speeds.hpp"

namespace slime::trainer {

namespace {

constexpr double dead_band = 0.05;

}  // namespace

Result<std::vector<std::uint32_t>> ProportionalControlPolicy::split(
    const SplitTask& task, std::span<const WorkerLoad> loads) {
  if (!any_measured(loads)) return EqualPolicy().split(task, loads);
  std::vector<double> shares = present_shares(task.units, loads);
  // Who has nothing is seen with one block, or it would have nothing for ever.
  for (double& share : shares) share = std::max(1.0, share);
  const std::vector<double> seconds = share_seconds(task, loads, shares);
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  double change = 0;
  std::vector<double> corrected;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double correction = shares[i] / seconds[i] * (seconds[i] - mean);
    corrected.push_back(std::max(0.0, shares[i] - correction));
    change = std::max(change, std::abs(correction) / shares[i]);
  }
  return split_in_proportion(task.units, change > dead_band ? corrected : shares, loads);
}

}  // namespace slime::trainer

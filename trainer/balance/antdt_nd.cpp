#include "trainer/balance/antdt_nd.hpp"

#include <algorithm>
#include <numeric>

#include "trainer/balance/equal.hpp"
#include "trainer/balance/load_speeds.hpp"
#include "trainer/balance/split.hpp"

namespace slime::trainer {

namespace {

constexpr std::uint64_t window = 10;
constexpr double straggling = 1.2;

}  // namespace

Result<std::vector<std::uint32_t>> AntDtNdPolicy::split(const SplitTask& task,
                                                        std::span<const WorkerLoad> loads) {
  if (!any_measured(loads)) {
    window_from_ = task.iteration;
    return EqualPolicy().split(task, loads);
  }
  const std::vector<double> speeds = present_speeds(task, loads);
  if (task.iteration != last_iteration_)
    for (std::size_t i = 0; i < loads.size(); ++i) {
      if (!measured(loads[i])) continue;
      Window& seen = windows_[loads[i].worker];
      seen.speed_sum += speeds[i];
      ++seen.count;
    }
  last_iteration_ = task.iteration;
  const std::vector<double> shares = present_shares(task.units, loads);
  const auto unchanged = [&] { return split_in_proportion(task.units, shares, loads); };
  if (task.iteration < window_from_ + window) return unchanged();

  window_from_ = task.iteration;
  const auto windows = std::exchange(windows_, {});
  std::vector<UnitCost> costs;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto seen = windows.find(loads[i].worker);
    const double speed =
        seen == windows.end() ? speeds[i] : seen->second.speed_sum / seen->second.count;
    costs.push_back({0, task.block / speed, loads[i].units_min, loads[i].units_max});
    seconds.push_back(shares[i] * task.block / speed);
  }
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  if (*std::max_element(seconds.begin(), seconds.end()) <= straggling * mean) return unchanged();
  return minmax_split(task.units, costs);
}

}  // namespace slime::trainer

#include "trainer/balance/lb_bsp_cpu.hpp"

#include <algorithm>

#include "trainer/balance/equal.hpp"
#include "trainer/balance/load_speeds.hpp"

namespace slime::trainer {

namespace {

constexpr double trend_gain = 0.2;

}  // namespace

Result<std::vector<std::uint32_t>> LbBspCpuPolicy::split(const SplitTask& task,
                                                         std::span<const WorkerLoad> loads) {
  if (!any_measured(loads)) return EqualPolicy().split(task, loads);
  const std::vector<double> speeds = present_speeds(task, loads);
  std::map<WorkerId, Trend> trends;
  std::vector<double> predicted;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    Trend trend{speeds[i], 0, task.iteration};
    const auto known = trends_.find(loads[i].worker);
    if (known != trends_.end() && known->second.iteration < task.iteration) {
      const Trend& before = known->second;
      const auto iterations = static_cast<double>(task.iteration - before.iteration);
      const double change = (speeds[i] - before.speed) / iterations;
      trend.change = before.change + trend_gain * (change - before.change);
    } else if (known != trends_.end()) {
      trend = known->second;
    }
    predicted.push_back(std::clamp(speeds[i] + trend.change, speeds[i] / 2, speeds[i] * 2));
    trends.emplace(loads[i].worker, trend);
  }
  trends_ = std::move(trends);
  return split_in_proportion(task.units, predicted, loads);
}

}  // namespace slime::trainer

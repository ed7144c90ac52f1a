#include "trainer/balance/adapt_fr.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trainer/balance/equal.hpp"
#include "trainer/balance/load_speeds.hpp"
#include "trainer/balance/split.hpp"

namespace slime::trainer {

namespace {

constexpr double gain_minimum = 0.05;

std::uint64_t previous_units(std::span<const WorkerLoad> loads) {
  return std::accumulate(
      loads.begin(), loads.end(), std::uint64_t{0},
      [](std::uint64_t sum, const WorkerLoad& load) { return sum + load.units_previous; });
}

std::vector<UnitCost> unit_costs(std::uint32_t block, std::span<const WorkerLoad> loads) {
  const std::vector<SpeedEstimate> speeds = known_speeds(loads);
  std::vector<UnitCost> costs;
  costs.reserve(loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i)
    costs.push_back(
        {speeds[i].fixed_s, speeds[i].sample_s * block, loads[i].units_min, loads[i].units_max});
  return costs;
}

/// Lowers an upper bound, but never below the lower one.
void cap(UnitCost& cost, std::uint64_t units_max) {
  cost.units_max = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(cost.units_min, std::min<std::uint64_t>(cost.units_max, units_max)));
}

void cap_unmeasured(std::vector<UnitCost>& costs, std::span<const WorkerLoad> loads) {
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (measured(loads[i])) continue;
    cap(costs[i], std::max(1u, loads[i].units_previous));
    // Without a block it would never be measured.
    costs[i].units_min = std::max(costs[i].units_min, std::min(1u, costs[i].units_max));
  }
}

void cap_growth(std::vector<UnitCost>& costs, std::span<const WorkerLoad> loads,
                std::uint32_t units) {
  const std::uint64_t total = previous_units(loads);
  if (total == 0) return;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::uint64_t doubled = 2 * std::uint64_t{loads[i].units_previous} * units;
    cap(costs[i], std::max<std::uint64_t>(1, (doubled + total - 1) / total));
  }
}

bool worth_moving(std::span<const WorkerLoad> loads, std::span<const UnitCost> costs,
                  std::span<const std::uint32_t> best) {
  std::vector<std::uint32_t> previous;
  previous.reserve(loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::uint32_t units = loads[i].units_previous;
    if (units < costs[i].units_min || units > costs[i].units_max) return true;
    if (best[i] / 2 > std::max(1u, units)) return true;
    previous.push_back(units);
  }
  const double gain = 1 - makespan_s(costs, best) / makespan_s(costs, previous);
  return gain > dead_band(loads);
}

}  // namespace

double dead_band(std::span<const WorkerLoad> loads) {
  double error = 0;
  double workers = 0;
  for (const WorkerLoad& load : loads) {
    if (!measured(load)) continue;
    workers += 1;
    error = std::max(error, load.speed.noise / std::sqrt(load.speed.window()));
  }
  if (workers == 0) return gain_minimum;
  return std::max(gain_minimum, error * std::sqrt(2 * std::log(workers)));
}

Result<std::vector<std::uint32_t>> AdaptFrPolicy::split(const SplitTask& task,
                                                        std::span<const WorkerLoad> loads) {
  if (!any_measured(loads)) return EqualPolicy().split(task, loads);
  const std::uint32_t units = task.units;
  const std::vector<UnitCost> costs = unit_costs(task.block, loads);
  std::vector<UnitCost> limited = costs;
  cap_unmeasured(limited, loads);
  const auto best = minmax_split(units, limited);
  const bool comparable = best && previous_units(loads) == units;
  if (comparable && !worth_moving(loads, limited, *best)) {
    std::vector<std::uint32_t> unchanged;
    for (const WorkerLoad& load : loads) unchanged.push_back(load.units_previous);
    return unchanged;
  }
  cap_growth(limited, loads, units);
  if (auto next = minmax_split(units, limited)) return next;
  // The limits on change yield where they leave work over; those of the workers do not.
  return minmax_split(units, costs);
}

}  // namespace slime::trainer

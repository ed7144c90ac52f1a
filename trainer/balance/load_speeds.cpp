#include "trainer/balance/load_speeds.hpp"

#include <algorithm>
#include <cassert>

#include "trainer/balance/split.hpp"

namespace slime::trainer {

namespace {

double median(std::vector<double> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  const double lower = values.size() % 2 == 1 ? *upper : *std::max_element(values.begin(), upper);
  return (lower + *upper) / 2;
}

/// A worker of median speed. Precondition: some load is measured.
SpeedEstimate typical_speed(std::span<const WorkerLoad> loads) {
  std::vector<double> fixed, sample;
  for (const WorkerLoad& load : loads) {
    if (!measured(load)) continue;
    fixed.push_back(load.speed.fixed_s);
    sample.push_back(load.speed.sample_s);
  }
  return {median(std::move(fixed)), median(std::move(sample)), 0, 0};
}

}  // namespace

bool any_measured(std::span<const WorkerLoad> loads) {
  return std::any_of(loads.begin(), loads.end(), measured);
}

std::vector<SpeedEstimate> known_speeds(std::span<const WorkerLoad> loads) {
  const bool all = std::ranges::all_of(loads, measured);
  const SpeedEstimate typical = all ? SpeedEstimate{} : typical_speed(loads);
  std::vector<SpeedEstimate> speeds;
  speeds.reserve(loads.size());
  for (const WorkerLoad& load : loads) speeds.push_back(measured(load) ? load.speed : typical);
  return speeds;
}

std::vector<double> present_shares(std::uint32_t units, std::span<const WorkerLoad> loads) {
  double held = 0;
  double holders = 0;
  const auto is_new = [](const WorkerLoad& load) {
    return load.units_previous == 0 && !measured(load);
  };
  for (const WorkerLoad& load : loads) {
    if (is_new(load)) continue;
    held += load.units_previous;
    holders += 1;
  }
  std::vector<double> shares;
  double total = 0;
  for (const WorkerLoad& load : loads) {
    const double mean = holders > 0 ? held / holders : 0;
    shares.push_back(held == 0 ? 1 : is_new(load) ? mean : load.units_previous);
    total += shares.back();
  }
  for (double& share : shares) share *= units / total;
  return shares;
}

std::vector<double> present_speeds(const SplitTask& task, std::span<const WorkerLoad> loads) {
  const std::vector<SpeedEstimate> known = known_speeds(loads);
  const std::vector<double> shares = present_shares(task.units, loads);
  std::vector<double> speeds;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const double samples = std::max(1.0, shares[i]) * task.block;
    speeds.push_back(samples / known[i].seconds(samples));
  }
  return speeds;
}

std::vector<double> share_seconds(const SplitTask& task, std::span<const WorkerLoad> loads,
                                  std::span<const double> shares) {
  assert(shares.size() == loads.size());
  const std::vector<SpeedEstimate> known = known_speeds(loads);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < loads.size(); ++i)
    seconds.push_back(shares[i] > 0 ? known[i].seconds(shares[i] * task.block) : 0);
  return seconds;
}

Result<std::vector<std::uint32_t>> split_in_proportion(std::uint32_t units,
                                                       std::span<const double> weights,
                                                       std::span<const WorkerLoad> loads) {
  assert(weights.size() == loads.size());
  std::vector<ShareWeight> bounded;
  for (std::size_t i = 0; i < loads.size(); ++i)
    bounded.push_back({weights[i], loads[i].units_min, loads[i].units_max});
  return proportional_split(units, bounded);
}

}  // namespace slime::trainer

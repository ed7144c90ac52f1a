#include "trainer/balance/split.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <queue>
#include <string>
#include <utility>

namespace slime::trainer {

namespace {

Status check(std::uint32_t units, std::span<const UnitCost> costs) {
  const std::string context = "splitting " + std::to_string(units) + " units between " +
                              std::to_string(costs.size()) + " workers: ";
  if (costs.empty()) return Error{Errc::invalid_argument, context + "no workers"};
  std::uint64_t least = 0, most = 0;
  for (const UnitCost& cost : costs) {
    if (!(cost.fixed_s >= 0) || !(cost.unit_s > 0) || !std::isfinite(cost.fixed_s + cost.unit_s)) {
      return Error{Errc::invalid_argument, context + "a cost is not positive and finite"};
    }
    if (cost.units_min > cost.units_max) {
      return Error{Errc::invalid_argument, context + "a lower bound is above its upper bound"};
    }
    least += cost.units_min;
    most += cost.units_max;
  }
  if (units < least || units > most) {
    return Error{Errc::invalid_argument, context + "their bounds allow " + std::to_string(least) +
                                             " to " + std::to_string(most)};
  }
  return ok();
}

/// The level at which the workers, divisible, hold `units` together. The sum they hold rises with
/// the level in straight pieces, from sum min; a piece ends where a worker leaves its lower bound
/// or reaches its upper one.
double water_level(double units, std::span<const UnitCost> costs) {
  std::vector<std::pair<double, double>> bends;  // Level, and the change of slope there.
  bends.reserve(2 * costs.size());
  double held = 0;
  for (const UnitCost& cost : costs) {
    held += cost.units_min;
    bends.emplace_back(cost.fixed_s + cost.unit_s * cost.units_min, 1 / cost.unit_s);
    // Who may have more than all never reaches its bound.
    if (cost.units_max > units) continue;
    bends.emplace_back(cost.fixed_s + cost.unit_s * cost.units_max, -1 / cost.unit_s);
  }
  double level = std::ranges::min(bends).first;
  double slope = 0;
  // The last bend below the level is looked for in halves, so that thousands need not be sorted.
  for (auto from = bends.begin(), to = bends.end(); from != to;) {
    const auto middle = from + (to - from) / 2;
    std::nth_element(from, middle, to);
    const double next = middle->first;
    double held_next = held + slope * (next - level);
    double slope_next = slope + middle->second;
    for (const auto& [before, change] : std::span(from, middle)) {
      held_next += change * (next - before);
      slope_next += change;
    }
    if (held_next >= units) {
      to = middle;
      continue;
    }
    held = held_next;
    level = next;
    slope = slope_next;
    from = middle + 1;
  }
  return slope > 0 ? level + std::max(0.0, units - held) / slope : level;
}

// Relative to the largest.
constexpr double weight_minimum = 1e-12;
constexpr double rounding = 1e-9;

std::uint32_t whole_units_below(double level, const UnitCost& cost) {
  // The margin keeps a rounding error from counting a unit that is not quite below the level;
  // one too few is put right by the heap.
  const double units = std::floor((level - cost.fixed_s) / cost.unit_s * (1 - 1e-9));
  return static_cast<std::uint32_t>(std::clamp<double>(units, cost.units_min, cost.units_max));
}

}  // namespace

Result<std::vector<std::uint32_t>> minmax_split(std::uint32_t units,
                                                std::span<const UnitCost> costs) {
  if (Status checked = check(units, costs); !checked) return checked.error();
  const double level = water_level(units, costs);
  std::vector<std::uint32_t> shares;
  shares.reserve(costs.size());
  std::uint64_t given = 0;
  for (const UnitCost& cost : costs) {
    shares.push_back(whole_units_below(level, cost));
    given += shares.back();
  }
  assert(given <= units);

  using Finish = std::pair<double, std::size_t>;
  const auto finish = [&](std::size_t i) {
    return Finish{costs[i].fixed_s + costs[i].unit_s * (shares[i] + 1.0), i};
  };
  std::vector<Finish> open;
  open.reserve(costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (shares[i] < costs[i].units_max) open.push_back(finish(i));
  std::priority_queue next(std::greater<>{}, std::move(open));
  for (; given < units; ++given) {
    const std::size_t i = next.top().second;
    next.pop();
    ++shares[i];
    if (shares[i] < costs[i].units_max) next.push(finish(i));
  }
  return shares;
}

Result<std::vector<std::uint32_t>> proportional_split(std::uint32_t units,
                                                      std::span<const ShareWeight> workers) {
  double largest = 0;
  for (const ShareWeight& worker : workers) {
    if (!(worker.weight >= 0) || !std::isfinite(worker.weight))
      return Error{Errc::invalid_argument,
                   "splitting in proportion: a weight is negative or not "
                   "finite"};
    largest = std::max(largest, worker.weight);
  }
  // A division by weight is one that ends all at the same time, at a unit's cost of one over the
  // weight: the level is what a unit of weight gets.
  std::vector<UnitCost> costs;
  for (const ShareWeight& worker : workers) {
    const double weight = largest > 0 ? std::max(worker.weight / largest, weight_minimum) : 1;
    costs.push_back({0, 1 / weight, worker.units_min, worker.units_max});
  }
  if (Status checked = check(units, costs); !checked) return checked.error();
  const double level = water_level(units, costs);
  std::vector<std::uint32_t> shares;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double due =
        std::clamp<double>(level / costs[i].unit_s, costs[i].units_min, costs[i].units_max);
    // What is a rounding error below a whole unit is one.
    shares.push_back(static_cast<std::uint32_t>(due + rounding));
    remainders.emplace_back(shares.back() - due, i);
    given += shares.back();
  }
  assert(given <= units);
  std::sort(remainders.begin(), remainders.end());
  while (given < units)
    for (const auto& [negative, i] : remainders) {
      if (given == units) break;
      if (shares[i] == costs[i].units_max) continue;
      ++shares[i];
      ++given;
    }
  return shares;
}

double makespan_s(std::span<const UnitCost> costs, std::span<const std::uint32_t> shares) {
  assert(costs.size() == shares.size());
  double last = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (shares[i] > 0) last = std::max(last, costs[i].fixed_s + costs[i].unit_s * shares[i]);
  }
  return last;
}

}  // namespace slime::trainer

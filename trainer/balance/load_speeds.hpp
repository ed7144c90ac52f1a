#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

inline bool measured(const WorkerLoad& load) {
  return load.speed.measurements > 0;
}
bool any_measured(std::span<const WorkerLoad> loads);

/// The speed of each load; who was not measured counts with the median of the others. Precondition:
/// somebody was measured.
std::vector<SpeedEstimate> known_speeds(std::span<const WorkerLoad> loads);

/// Blocks that each load has at present, not rounded: its part of the previous shares, out of
/// `units`. Who is new counts with the mean of the others; without previous shares all are equal.
std::vector<double> present_shares(std::uint32_t units, std::span<const WorkerLoad> loads);

/// Samples per second of each load at its present share, at least one block: x / t(x), in which a
/// fixed cost weighs the more the smaller the share. This is the speed that published rules
/// without a cost model speak of. Precondition: somebody was measured.
std::vector<double> present_speeds(const SplitTask& task, std::span<const WorkerLoad> loads);

/// Seconds that each load takes for these (possibly broken) shares; none for none. Precondition:
/// somebody was measured; one share per load.
std::vector<double> share_seconds(const SplitTask& task, std::span<const WorkerLoad> loads,
                                  std::span<const double> shares);

/// `proportional_split` within the bounds of the loads. Precondition: one weight per load.
Result<std::vector<std::uint32_t>> split_in_proportion(std::uint32_t units,
                                                       std::span<const double> weights,
                                                       std::span<const WorkerLoad> loads);

}  // namespace slime::trainer

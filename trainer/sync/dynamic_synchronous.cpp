#include "trainer/sync/dynamic_synchronous.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace slime::trainer {

namespace {

constexpr double wait_allowed = 0.02;
constexpr double walk_factor = 0.7;

}  // namespace

double DynamicSynchronous::predicted_wait_s(std::size_t worker,
                                            std::span<const IterationTiming> workers,
                                            std::uint32_t r) {
  assert(worker < workers.size());
  const IterationTiming& own = workers[worker];
  double sigma_others = 0;
  double lead = 0;
  for (std::size_t other = 0; other < workers.size(); ++other) {
    if (other == worker) continue;
    sigma_others = std::max(sigma_others, workers[other].sigma_s);
    lead = std::max(lead, workers[other].mean_s - own.mean_s);
  }
  const double variance = (own.sigma_s * own.sigma_s + sigma_others * sigma_others) / 2;
  const double log_workers = std::log(static_cast<double>(workers.size()));
  const double cushion = r * own.mean_s;
  const double noise = cushion > 0 ? walk_factor * variance * log_workers / cushion
                                   : std::sqrt(2 * variance * log_workers);
  const double exchange = std::max(0.0, own.exchange_s - cushion);
  return std::max(0.0, noise + exchange - lead);
}

std::uint32_t DynamicSynchronous::slack(std::size_t worker,
                                        std::span<const IterationTiming> workers) const {
  const double allowed = wait_allowed * workers[worker].mean_s;
  std::uint32_t r = 0;
  while (r < staleness_max_ && predicted_wait_s(worker, workers, r) > allowed) ++r;
  return r;
}

}  // namespace slime::trainer

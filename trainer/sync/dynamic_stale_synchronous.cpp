#include "trainer/sync/dynamic_stale_synchronous.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace slime::trainer {

namespace {

// Of an iteration of the slowest: differences below it are rounding.
constexpr double tolerance = 1e-9;

}  // namespace

DynamicStaleSynchronous::DynamicStaleSynchronous(std::uint32_t staleness_min,
                                                 std::uint32_t staleness_max)
    : staleness_min_(std::min(staleness_min, staleness_max)), staleness_max_(staleness_max) {}

std::uint32_t DynamicStaleSynchronous::slack(std::size_t worker,
                                             std::span<const IterationTiming> workers) const {
  assert(worker < workers.size());
  const double own = workers[worker].mean_s;
  const double slowest = std::ranges::max(workers, {}, &IterationTiming::mean_s).mean_s;
  if (own <= 0 || own >= slowest) return staleness_min_;
  std::uint32_t best = staleness_min_;
  double least = 2;  // In iterations of the slowest, as all here; a wait is less than one.
  for (std::uint32_t s = staleness_min_; s <= staleness_max_; ++s) {
    const double end = (s + 1) * (own / slowest);
    const double wait = std::max(0.0, std::ceil(end - tolerance) - end);
    if (wait < least - tolerance) {
      least = wait;
      best = s;
    }
  }
  return best;
}

}  // namespace slime::trainer

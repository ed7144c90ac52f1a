#include "trainer/recovery/checkpoint_interval.hpp"

#include <algorithm>
#include <cmath>

namespace slime::trainer {

namespace {

// Whatever little is lost, disks and networks are busy meanwhile.
constexpr double interval_min_s = 1;

}  // namespace

double mean_between_failures_s(double declared_s, std::uint64_t failures, double observed_s) {
  return (declared_s + observed_s) / (1 + static_cast<double>(failures));
}

double daly_interval_s(double cost_s, double between_failures_s) {
  if (cost_s >= 2 * between_failures_s) return between_failures_s;
  const double x = std::sqrt(cost_s / (2 * between_failures_s));
  return std::sqrt(2 * cost_s * between_failures_s) * (1 + x / 3 + x * x / 9) - cost_s;
}

double checkpoint_interval_s(const CheckpointOutlook& outlook) {
  const double within_share = outlook.lost_s * (1 - outlook.overhead_max) / outlook.overhead_max;
  return std::max({daly_interval_s(outlook.lost_s, outlook.between_failures_s), within_share,
                   outlook.write_s, interval_min_s});
}

}  // namespace slime::trainer

#include "actors/training/checkpoint_costs.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/base/clock.hpp"
#include "trainer/recovery/checkpoint_interval.hpp"

namespace slime::actors {

namespace {

// Weight of a new measurement.
constexpr double alpha = 0.25;
constexpr double unknown_cost_s = 1;

/// What was stored elsewhere is believed only where it can be.
double seconds_or(double value, double otherwise) {
  return value >= 0 && std::isfinite(value) ? value : otherwise;
}

}  // namespace

void CheckpointCosts::smooth(double& mean, double value) {
  mean = std::isnan(mean) ? value : mean + alpha * (value - mean);
}

double CheckpointCosts::between_failures_s(schema::Checkpoint::Reader rules, double run_s) const {
  return trainer::mean_between_failures_s(rules.getSecondsBetweenFailures(), failures_,
                                          earlier_s_ + run_s);
}

double CheckpointCosts::interval_s(schema::Checkpoint::Reader rules, double run_s) const {
  return trainer::checkpoint_interval_s({.lost_s = seconds_or(lost_s_, unknown_cost_s),
                                         .write_s = seconds_or(write_s_, 0),
                                         .between_failures_s = between_failures_s(rules, run_s),
                                         .overhead_max = rules.getOverheadMax()});
}

void CheckpointCosts::write(schema::CheckpointCosts::Builder root) const {
  root.setLostSeconds(lost_s_);
  root.setWriteSeconds(write_s_);
  root.setFailures(failures_);
  root.setEarlierSeconds(earlier_s_);
}

void CheckpointCosts::take_up(schema::CheckpointCosts::Reader root) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  lost_s_ = seconds_or(root.getLostSeconds(), unknown);
  write_s_ = seconds_or(root.getWriteSeconds(), unknown);
  failures_ = root.getFailures();
  earlier_s_ = seconds_or(root.getEarlierSeconds(), 0);
}

void CheckpointCosts::resume(schema::JobHistory::Reader history, bool failed) {
  take_up(history.getCheckpointCosts());
  earlier_s_ += std::max(0.0, to_seconds(Duration(history.getRunNs())));
  if (failed) ++failures_;
}

}  // namespace slime::actors

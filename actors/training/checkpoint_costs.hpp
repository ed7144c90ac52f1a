#pragma once

#include <cstdint>
#include <limits>

#include "schemas/history.capnp.h"
#include "schemas/job.capnp.h"

namespace slime::actors {

/// What checkpoints cost a job and how often it fails, over all its runs, and the interval between
/// checkpoints that follows. Plain data of one actor; all seconds are run time unless they say
/// otherwise.
class CheckpointCosts {
 public:
  /// Training waited for `lost_s` until a checkpoint was copied.
  void copied(double lost_s) { smooth(lost_s_, lost_s); }
  /// It was committed `write_s` after it was begun.
  void committed(double write_s) { smooth(write_s_, write_s); }
  /// What came after the newest checkpoint was lost.
  void failed() { ++failures_; }

  /// Smoothed; nan before the first.
  double lost_s() const { return lost_s_; }
  double write_s() const { return write_s_; }
  std::uint64_t failures() const { return failures_; }

  /// @param run_s  How long this run has trained.
  double between_failures_s(schema::Checkpoint::Reader rules, double run_s) const;
  /// Before any cost is known it is taken to be a second. Precondition: `rules` say that the
  /// interval is computed.
  double interval_s(schema::Checkpoint::Reader rules, double run_s) const;

  void write(schema::CheckpointCosts::Builder root) const;
  /// Goes on from what a predecessor told in the same run.
  void take_up(schema::CheckpointCosts::Reader root);
  /// Goes on in another run from a checkpoint.
  /// @param history  What was known then.
  /// @param failed   Whether the run that wrote it failed later.
  void resume(schema::JobHistory::Reader history, bool failed);

 private:
  static void smooth(double& mean, double value);

  double lost_s_ = std::numeric_limits<double>::quiet_NaN();
  double write_s_ = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t failures_ = 0;
  double earlier_s_ = 0;  ///< How long the runs before this one trained.
};

}  // namespace slime::actors

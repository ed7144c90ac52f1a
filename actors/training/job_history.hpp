#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "actors/training/checkpoint_costs.hpp"
#include "schemas/history.capnp.h"
#include "trainer/emulate/ideal_makespan.hpp"

namespace slime::actors {

/// What is counted of one worker's place in the job, whoever fills it. All seconds are run time.
struct WorkerAccount {
  std::uint64_t samples = 0;  ///< Brought in before the present ledger.
  double busy_s = 0;
  double present_s = 0;            ///< Of those who were here before.
  std::optional<double> joined_s;  ///< When the present one began, before any rollback.
  std::vector<trainer::Lifetime> lives;

  /// The place's worker begins, be it anew, at `run_s`.
  void join(WorkerId worker, double run_s);
  /// It stops working, but may go on later.
  void pause(double run_s);
  /// Its worker is gone.
  void leave(double run_s);
  /// For how long the place was filled until `run_s`.
  double present(double run_s) const { return present_s + (joined_s ? run_s - *joined_s : 0); }
};

/// What a coordinator counts and reports of a run and its successor takes up, apart from the clock.
/// Plain data.
struct JobHistory {
  /// Has nothing to tell yet. @param targets  Accuracies whose first time is wanted.
  JobHistory(std::size_t workers, const std::vector<double>& targets);

  std::optional<std::uint64_t> first_iteration;                ///< Of the run, once it trains.
  std::vector<WorkerAccount> workers;                          ///< By place.
  double accuracy = std::numeric_limits<double>::quiet_NaN();  ///< When last evaluated.
  double loss = std::numeric_limits<double>::quiet_NaN();
  std::int64_t evaluated_at = -1;           ///< Iteration of that evaluation; -1: none yet.
  std::map<double, double> target_seconds;  ///< By accuracy; nan: not reached yet.
  std::uint32_t rollbacks = 0;
  std::uint64_t lost_iterations = 0;
  std::uint64_t refused_pushes = 0;
  std::int64_t resumed_from = -1;      ///< Iteration of the checkpoint; -1: started anew.
  std::uint64_t resumed_term = 0;      ///< Term of that checkpoint.
  std::uint64_t checkpoints_late = 0;  ///< Due while another was being written.
  std::int64_t copied = -1;  ///< Iteration of the newest copy at the second place; -1: none.
  std::uint64_t copies_failed = 0;
  CheckpointCosts costs;

  /// Adds an evaluation at iteration `at`, made when the run was `run_s` old.
  void evaluated(std::uint64_t at, double accuracy_then, double loss_then, double run_s);
  /// Adds a rollback from iteration `reached` to `back_to`.
  void rolled_back(std::uint64_t reached, std::uint64_t back_to);

  /// @param with_lives  Whether to tell how long each worker lived.
  void write(schema::JobHistory::Builder root, bool with_lives) const;
  /// Goes on from what a predecessor of the same run told.
  void take_up(schema::JobHistory::Reader root);
};

}  // namespace slime::actors

#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/slime/chaos/chaos_outcome.hpp"
#include "tools/slime/chaos/directory_watch.hpp"
#include "tools/slime/chaos/durable_cluster.hpp"
#include "tools/slime/chaos/fault_schedule.hpp"
#include "tools/slime/chaos/record_tail.hpp"
#include "tools/slime/chaos/restart_budget.hpp"
#include "tools/slime/chaos/run_processes.hpp"
#include "tools/slime/child_process.hpp"
#include "tools/slime/stop_signals.hpp"

namespace slime::tools {

/// Runs a job by `slime train` in a process of its own, on a cluster within it or on a durable one
/// beside it, injects the faults of a plan and takes down what the job's records say. A killed
/// command is started again, with --resume where there is a checkpoint. A fault that is due waits
/// while the system could not be expected to survive it: while every process that it could hit has
/// been started so often lately that one more end would be its last, and after
/// `faults_in_a_row_max` without a sign of work in between. Confined to the thread that made it,
/// which must live as long: processes die with it.
class ChaosRun {
 public:
  static constexpr std::size_t faults_in_a_row_max = 5;

  struct Settings {
    std::string program = "/proc/self/exe";
    std::vector<std::string> job;             ///< Arguments of `slime train` that tell the job.
    std::filesystem::path checkpoints;        ///< Its stores, for it alone; empty: it has none.
    std::filesystem::path folder;             ///< There; takes records and logs.
    std::filesystem::path runtime_directory;  ///< There, empty; for the command's private folder.
    trainer::WorkPlan plan;
    bool committed = false;  ///< See `RunTrace`.
    std::vector<PlannedFault> faults;
    /// Workers and shards of a durable cluster that the job runs on; absent: the command has its
    /// own.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> durable;
    Duration stuck_after = std::chrono::seconds(120);  ///< Without a word in the record.
    std::function<void(const InjectedFault&)> on_fault;
  };

  /// `signals` must outlive it.
  ChaosRun(Settings settings, StopSignals& signals);
  /// Kills the run if it still runs.
  ~ChaosRun();

  /// Blocks until the job is over, whatever its end; that is in the outcome, in which the caller
  /// puts `checkpoints` and `expected_sha256`. Errors: io_error (the command cannot be started, its
  /// record cannot be read), corruption (of the record), unavailable (a signal came:
  /// `interrupted`).
  Result<ChaosOutcome> run();
  /// The signal that ended `run`.
  std::optional<int> interrupted() const { return interrupted_; }

 private:
  struct Passing {
    Instant until;
    std::function<void()> undo;
  };

  /// Errors: unavailable (a signal came).
  Status heed_signals();
  Status start_cluster();
  Status start_command();
  bool has_checkpoint() const;
  /// Waits for news of the command, for a moment at most.
  void wait();
  void drain();
  void look_around(Instant now);
  void remember(const RunProcess& process);
  Status read_record(Instant now);
  void end_what_passed(Instant now);
  void serve_plan(Instant now);
  /// Those whom a fault may hit now; empty: nobody.
  std::vector<RunProcess> victims(const PlannedFault& fault, Instant now) const;
  bool may_suffer(const std::vector<RunProcess>& group, Instant now) const;
  void inject(const PlannedFault& fault, std::span<const RunProcess> group, Instant now);
  /// The command has ended. Whether the job is over.
  Result<bool> command_ended(const ProcessExit& exit, Instant now);
  bool all_gone(Duration within) const;
  ChaosOutcome outcome(Instant now);

  Settings settings_;
  StopSignals& signals_;
  FaultSchedule schedule_;
  RestartBudget budget_;
  std::unique_ptr<DurableCluster> cluster_;  ///< Null: the command has its own.
  std::optional<DirectoryWatch> directory_;  ///< Of that cluster.
  std::optional<ChildProcess> command_;
  std::optional<RecordTail> record_;
  RunProcesses running_;
  std::vector<RunProcess> known_;  ///< Of the present command, whoever was seen.
  /// Of the present command, whoever was killed: that takes a while where processors are busy.
  std::vector<ProcessIdentity> doomed_;
  std::deque<Passing> passing_;
  ChaosOutcome outcome_;
  Instant started_{};
  Instant looked_{};
  Instant heard_{};               ///< The record had something to say.
  std::uint64_t seals_then_ = 0;  ///< When the last fault was injected.
  std::size_t faults_in_a_row_ = 0;
  bool kill_expected_ = false;  ///< The command was killed by a fault.
  std::string last_words_;
  std::optional<int> interrupted_;
};

}  // namespace slime::tools

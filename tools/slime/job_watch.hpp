#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/slime/console.hpp"
#include "tools/slime/job_client.hpp"
#include "tools/slime/progress.hpp"
#include "tools/slime/run_report.hpp"
#include "tools/slime/stop_signals.hpp"

namespace slime::tools {

/// How a job ended that did not fail.
struct JobEnd {
  /// The latest there is.
  runtime::Message<schema::Progress> progress{};
  bool finished = false;      ///< Otherwise a signal ended the watch.
  std::optional<int> signal;  ///< The first one that came.
  bool stopped = false;       ///< The job stopped in order, checkpoint and all.
};

/// Follows a submitted job to its end and tells people about it. The first signal asks the job to
/// stop at its next boundary, a second one ends the watch at once; but programs such as `timeout`
/// signal a process and then its group, which is one request, and SIGTERM after SIGUSR1 is a first
/// one, too. Every wait has a deadline. Confined to one thread.
class JobWatch {
 public:
  struct Settings {
    /// Called between two looks at the job: lines for people, or why the run cannot go on. May be
    /// empty.
    std::function<Result<std::vector<std::string>>()> news;
    /// Given what the run did since the last call. May be empty.
    std::function<void(const RecordPiece&)> record{};
    /// Called while the coordinator does not answer: where the cluster's head is now, which may
    /// have been started again. May be empty: it cannot.
    std::function<Result<ClusterAccess>()> look_again{};
    Duration interval = std::chrono::milliseconds(200);
    Duration grace = std::chrono::seconds(30);  ///< For a job to stop after a signal.
    Duration same_signal_within = std::chrono::seconds(1);
    Duration idle_max = std::chrono::seconds(60);     ///< Without a node for workers or shards.
    Duration idle_told = std::chrono::seconds(3);     ///< The same, until people hear of it.
    Duration silence_max = std::chrono::seconds(30);  ///< Without a coordinator.
    Duration silence_told = std::chrono::seconds(3);  ///< The same, until people hear of it.
    Duration stuck_max = std::chrono::minutes(10);    ///< Without any worker at work.
  };

  /// All references must outlive the watch.
  JobWatch(const ClusterAccess& cluster, JobClient& job, schema::JobSpec::Reader spec,
           StopSignals& signals, const Console& console, ProgressPrinter& printer,
           Settings settings);

  /// Blocks until the job is over. Errors: why the job failed, or why it cannot go on.
  Result<JobEnd> run();

  /// The latest that the job said of itself; empty: it never did.
  const runtime::Message<schema::Progress>& latest() const { return progress_; }

 private:
  std::optional<Result<JobEnd>> look(Instant now);
  std::optional<Result<JobEnd>> judge(schema::Progress::Reader progress, Instant now);
  void take_record();
  std::optional<Error> lost(const Error& why, Instant now);
  /// Errors: why the cluster will not come back.
  Status look_again();
  std::optional<Error> deserted(schema::Progress::Reader progress, Instant now);
  /// Which role no node has, and which nodes there are; empty: every role has one, as far as known.
  std::string missing_role() const;
  void tell_events(schema::Progress::Reader progress);
  void say(const std::string& text);
  Status tell_news();
  bool is_the_same(const StopSignal& signal, Instant now) const;
  /// Batch systems announce the end of a job by SIGUSR1: what comes then is their first request.
  bool follows_a_warning(const StopSignal& signal) const;
  void interrupted(const StopSignal& signal, Instant now);
  JobEnd end() const;

  ClusterAccess cluster_;
  JobClient& job_;
  schema::JobSpec::Reader spec_;
  StopSignals& signals_;
  const Console& console_;
  ProgressPrinter& printer_;
  Settings settings_;
  RateMeter rate_;
  runtime::Message<schema::Progress> progress_;
  Instant heard_;      ///< The coordinator.
  Instant worked_;     ///< Some worker was at work.
  Instant populated_;  ///< There were nodes for workers and for shards.
  std::optional<int> signal_;
  pid_t first_sender_ = 0;
  Instant signalled_{};
  Instant stop_by_{};  ///< After a signal.
  bool stop_asked_ = false;
  std::string last_event_;
  std::string told_missing_;  ///< Of `missing_role`.
  bool told_silence_ = false;
};

}  // namespace slime::tools

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slime::tools {

/// What a worker's process took of its machine, as last reported.
struct WorkerUsage {
  double cpu_seconds = 0;
  double steal_fraction = 0;  ///< Of the machine's processor time, in about the last second.
  std::uint32_t run_queue = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// Each target accuracy and the seconds until it was reached; absent: it was not.
using TargetTimes = std::vector<std::pair<double, std::optional<double>>>;

/// {"0.85":12.5,"0.9":null}
std::string times_json(const TargetTimes& times);

/// What one worker did since this command began to train, rollbacks included.
struct WorkerResult {
  std::uint32_t id = 0;
  std::uint64_t samples = 0;  ///< Done again after a rollback, they count again.
  double share = 0;           ///< Of all workers' samples.
  double idle_fraction = 0;   ///< Of its time, not spent computing what it brought in.
  std::optional<WorkerUsage> usage{};
};

/// What its checkpoints cost a run, and how often they came.
struct CheckpointReport {
  std::uint64_t late = 0;  ///< Due while another was being written.
  /// Training time that one costs, and how long it takes until it can be resumed from. Absent: not
  /// known.
  std::optional<double> lost_seconds, write_seconds;
  /// Absent: not computed.
  std::optional<double> interval_seconds, seconds_between_failures;
  /// Iteration of the newest that this run copied to the second place. Absent: none.
  std::optional<std::uint64_t> copied;
  std::uint64_t copies_failed = 0;
};

/// How a training run ended.
struct RunResult {
  std::string name;
  std::string mode;
  std::string balance;
  std::uint32_t workers = 0;
  std::uint32_t shards = 0;
  std::uint32_t epochs = 0;
  std::uint64_t iterations = 0;
  std::uint64_t samples = 0;
  double seconds = 0;             ///< Of this run: first grant to last apply, evaluation excluded.
  std::uint64_t run_samples = 0;  ///< Of this run: fewer than `samples` when it was resumed.
  double test_accuracy = 0;
  double test_loss = 0;
  std::string parameters_sha256;
  /// Each target accuracy of the job and when it was reached; absent: it was not.
  TargetTimes seconds_to_accuracy;
  std::optional<double> makespan_ratio;  ///< Over the ideal time; absent without declared speeds.
  std::vector<WorkerResult> workers_detail;
  CheckpointReport checkpoints;
  std::optional<std::uint64_t> resumed_from;  ///< Iteration of the checkpoint.
  std::string record;                         ///< The file; empty: there is none.
};

/// The last line of a run for a script: one JSON object, {"ok":true,…}.
std::string result_json(const RunResult& result);

/// The same for people, in several lines.
std::string result_text(const RunResult& result);

}  // namespace slime::tools

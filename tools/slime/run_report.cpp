#include "tools/slime/run_report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace slime::tools {

namespace {

constexpr Duration window = std::chrono::seconds(2);

std::optional<double> finite(double value) {
  if (std::isfinite(value)) return value;
  return std::nullopt;
}

/// -1: none.
std::optional<std::uint64_t> iteration(std::int64_t number) {
  if (number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

std::optional<double> seconds_left(schema::Progress::Reader progress) {
  if (progress.getIteration() == 0 || progress.getRunSamples() == 0) return std::nullopt;
  const double samples_per_iteration =
      static_cast<double>(progress.getSamples()) / static_cast<double>(progress.getIteration());
  const double seconds_per_sample =
      progress.getRunSeconds() / static_cast<double>(progress.getRunSamples());
  const std::uint64_t left = progress.getIterations() - progress.getIteration();
  return static_cast<double>(left) * samples_per_iteration * seconds_per_sample;
}

std::optional<WorkerUsage> usage_of(schema::WorkerProgress::Reader worker) {
  if (!worker.hasUsage()) return std::nullopt;
  const auto usage = worker.getUsage();
  return WorkerUsage{.cpu_seconds = usage.getCpuSeconds(),
                     .steal_fraction = usage.getStealFraction(),
                     .run_queue = usage.getRunQueue(),
                     .memory_bytes = usage.getMemoryBytes(),
                     .bytes_in = usage.getBytesIn(),
                     .bytes_out = usage.getBytesOut()};
}

}  // namespace

void RateMeter::add(std::uint64_t samples, Instant now) {
  if (!seen_.empty() && samples < seen_.back().second) seen_.clear();
  seen_.emplace_back(now, samples);
  // One that is older than the window stays, so that there is a difference to look at.
  while (seen_.size() > 2 && now - seen_[1].first >= window) seen_.pop_front();
}

double RateMeter::per_second() const {
  if (seen_.size() < 2) return 0;
  const double seconds = to_seconds(seen_.back().first - seen_.front().first);
  const auto samples = static_cast<double>(seen_.back().second - seen_.front().second);
  return seconds > 0 ? samples / seconds : 0;
}

RunProgress run_progress(schema::JobSpec::Reader job, schema::Progress::Reader progress,
                         double samples_per_second) {
  RunProgress shown;
  shown.epoch = std::min(progress.getEpoch() + 1, job.getEpochs());
  shown.epochs = job.getEpochs();
  shown.iteration = progress.getIteration();
  shown.iterations = progress.getIterations();
  shown.seconds = progress.getRunSeconds();
  shown.samples_per_second = samples_per_second;
  shown.test_accuracy = finite(progress.getTestAccuracy());
  unsigned alive = 0;
  for (const auto worker : progress.getWorkers()) {
    shown.shares.push_back(worker.getShare());
    if (!worker.getAlive()) continue;
    ++alive;
    shown.idle_fraction += worker.getIdleFraction();
  }
  if (alive > 0) shown.idle_fraction /= alive;
  shown.seconds_left = seconds_left(progress);
  shown.checkpoint_seconds = finite(progress.getCheckpointIntervalSeconds());
  shown.checkpoint_copied = iteration(progress.getCopiedCheckpoint());
  shown.copies_failed = progress.getCopiesFailed();
  return shown;
}

RunResult run_result(schema::JobSpec::Reader job, schema::Progress::Reader progress) {
  RunResult result;
  result.name = job.getName().cStr();
  result.mode = job.getSync().getMode().cStr();
  result.balance = job.getBalance().getPolicy().cStr();
  result.workers = job.getWorkers();
  result.shards = job.getShards();
  result.epochs = job.getEpochs();
  result.iterations = progress.getIterations();
  result.samples = progress.getSamples();
  result.seconds = progress.getRunSeconds();
  result.run_samples = progress.getRunSamples();
  result.test_accuracy = progress.getTestAccuracy();
  result.test_loss = progress.getTestLoss();
  result.parameters_sha256 = progress.getParametersSha256().cStr();
  for (const auto target : progress.getTargets())
    result.seconds_to_accuracy.emplace_back(target.getAccuracy(), finite(target.getSeconds()));
  if (progress.getIdealSeconds() > 0)
    result.makespan_ratio = progress.getRunSeconds() / progress.getIdealSeconds();
  std::uint64_t all = 0;
  for (const auto worker : progress.getWorkers()) all += worker.getSamples();
  for (const auto worker : progress.getWorkers())
    result.workers_detail.push_back(
        {worker.getWorker(), worker.getSamples(),
         all > 0 ? static_cast<double>(worker.getSamples()) / static_cast<double>(all) : 0,
         worker.getIdleFraction(), usage_of(worker)});
  result.checkpoints = {progress.getCheckpointsLate(),
                        finite(progress.getCheckpointLostSeconds()),
                        finite(progress.getCheckpointWriteSeconds()),
                        finite(progress.getCheckpointIntervalSeconds()),
                        finite(progress.getSecondsBetweenFailures()),
                        iteration(progress.getCopiedCheckpoint()),
                        progress.getCopiesFailed()};
  result.resumed_from = iteration(progress.getResumedFrom());
  return result;
}

}  // namespace slime::tools

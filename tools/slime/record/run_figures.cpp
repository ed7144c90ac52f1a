#include "tools/slime/record/run_figures.hpp"

#include <algorithm>
#include <cmath>

#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

std::optional<double> finite(double value) {
  if (std::isfinite(value)) return value;
  return std::nullopt;
}

std::string end_of(const RunStory& story) {
  if (!story.end) return "not ended";
  return story.end->read([](schema::RecordEnd::Reader end) {
    switch (end.getState()) {
      case schema::JobState::FINISHED:
        return "finished";
      case schema::JobState::FAILED:
        return "failed";
      case schema::JobState::STOPPED:
        return "stopped";
      case schema::JobState::STARTING:
      case schema::JobState::TRAINING:
        break;
    }
    // The command gave it up, or was told to end at once.
    return end.getReason().size() > 0 ? "failed" : "interrupted";
  });
}

void read_end(schema::Progress::Reader progress, RunFigures& figures) {
  figures.seconds = progress.getRunSeconds();
  figures.iterations = progress.getIteration();
  figures.rollbacks = progress.getRollbacks();
  if (const auto accuracy = finite(progress.getTestAccuracy())) figures.accuracy = accuracy;
  if (progress.getIdealSeconds() > 0)
    figures.makespan_ratio = finite(progress.getRunSeconds() / progress.getIdealSeconds());
  figures.seconds_to_accuracy.clear();
  for (const auto target : progress.getTargets())
    figures.seconds_to_accuracy.emplace_back(target.getAccuracy(), finite(target.getSeconds()));
  for (const auto worker : progress.getWorkers())
    figures.workers[worker.getWorker()] = {worker.getWorker(), worker.getSamples(),
                                           worker.getIdleFraction()};
}

/// What the entries alone tell.
void add_up(const RunStory& story, RunFigures& figures) {
  const RunTotals& totals = story.totals;
  figures.iterations = totals.iterations;
  figures.decisions = totals.decisions;
  figures.groups = totals.groups;
  figures.lead_max = totals.lead_max;
  if (totals.groups > 0) figures.lead_mean = totals.leads / static_cast<double>(totals.groups);
  for (WorkerFigures& worker : figures.workers) {
    worker.samples = totals.workers[worker.id].samples;
    if (story.run_s > 0)
      worker.idle_fraction =
          std::clamp(1 - totals.workers[worker.id].busy_s / story.run_s, 0.0, 1.0);
  }
  figures.deaths = totals.deaths;
  figures.rollbacks = totals.rollbacks;
  figures.accuracy = totals.accuracy;
  figures.seconds_to_accuracy = totals.seconds_to_accuracy;
}

std::string workers_json(const RunFigures& figures) {
  std::string list;
  for (const WorkerFigures& worker : figures.workers) {
    if (!list.empty()) list += ',';
    list += JsonObject()
                .number("id", worker.id)
                .number("samples", worker.samples)
                .number("idle_fraction", worker.idle_fraction)
                .str();
  }
  return "[" + list + "]";
}

}  // namespace

RunFigures figures_of(const RunStory& story) {
  RunFigures figures;
  figures.file = story.file;
  figures.how = end_of(story);
  story.header.read([&](schema::RecordHeader::Reader header) {
    const auto job = header.getJob();
    figures.name = job.getName().cStr();
    figures.mode = job.getSync().getMode().cStr();
    figures.policy = job.getBalance().getPolicy().cStr();
    figures.shards = job.getShards();
  });
  for (std::uint32_t worker = 0; worker < story.workers; ++worker)
    figures.workers.push_back({.id = worker});
  figures.seconds = story.run_s;
  add_up(story, figures);
  if (story.end)
    story.end->read([&](schema::RecordEnd::Reader end) { read_end(end.getProgress(), figures); });
  for (const WorkerFigures& worker : figures.workers) figures.samples += worker.samples;
  return figures;
}

std::string figures_json(const RunFigures& figures) {
  JsonObject object;
  object.text("file", figures.file)
      .text("name", figures.name)
      .text("end", figures.how)
      .text("mode", figures.mode)
      .text("balance", figures.policy)
      .number("workers", figures.workers.size())
      .number("shards", figures.shards)
      .number("iterations", figures.iterations)
      .number("samples", figures.samples)
      .number("seconds", figures.seconds)
      .optional("test_accuracy", figures.accuracy)
      .raw("time_to_accuracy", times_json(figures.seconds_to_accuracy))
      .optional("makespan_ratio", figures.makespan_ratio)
      .number("lead_mean", figures.lead_mean)
      .number("lead_max", figures.lead_max)
      .number("groups", figures.groups)
      .number("decisions", figures.decisions)
      .number("deaths", figures.deaths)
      .number("rollbacks", figures.rollbacks)
      .raw("workers_detail", workers_json(figures));
  return object.str();
}

}  // namespace slime::tools

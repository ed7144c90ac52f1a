#include "tools/slime/record/run_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tools/slime/record/line_chart.hpp"

namespace slime::tools {

namespace {

/// A line for each worker that is drawn, without points.
std::vector<Series> lines(const RunStory& story, const DrawingBudget& budget) {
  std::vector<Series> series(std::min<std::size_t>(story.workers, budget.workers));
  for (std::uint32_t worker = 0; worker < series.size(); ++worker)
    series[worker] = {.name = fmt::format("worker {}", worker),
                      .colour = worker_colour(worker),
                      .points = {},
                      .steps = true};
  return series;
}

std::vector<double> targets_of(const RunStory& story) {
  return story.header.read([](schema::RecordHeader::Reader header) {
    std::vector<double> targets;
    for (const double target : header.getJob().getTargetAccuracies()) targets.push_back(target);
    return targets;
  });
}

std::string accuracy_over(const RunStory& story, const DrawingBudget& budget, Chart chart,
                          const std::function<double(const EvaluationMark&)>& x) {
  Series accuracy{
      .name = "test accuracy", .colour = worker_colour(0), .points = {}, .steps = false};
  double least = 1;
  for (const EvaluationMark& evaluation : story.evaluations) {
    accuracy.points.push_back({x(evaluation), evaluation.accuracy});
    chart.x_to = std::max(chart.x_to, x(evaluation));
    least = std::min(least, evaluation.accuracy);
  }
  chart.levels = targets_of(story);
  for (const double target : chart.levels) least = std::min(least, target);
  chart.y_from = story.evaluations.empty() ? 0 : std::max(0.0, least - 0.05);
  chart.y_name = "accuracy";
  return line_chart(chart, {&accuracy, 1}, budget.points);
}

}  // namespace

std::string shares_chart(const RunStory& story, const DrawingBudget& budget) {
  std::vector<Series> series = lines(story, budget);
  double most = 0;
  for (const DecisionMark& decision : story.decisions) {
    std::vector<double> blocks(series.size());
    double all = 0;
    for (const ShareMark& share : decision.workers) {
      all += share.blocks;
      if (share.worker < blocks.size()) blocks[share.worker] = share.blocks;
    }
    for (std::size_t worker = 0; worker < blocks.size(); ++worker) {
      const double percent = all > 0 ? 100 * blocks[worker] / all : 0;
      series[worker].points.push_back({decision.run_s, percent});
      most = std::max(most, percent);
    }
  }
  // The last ones hold to the end.
  for (Series& line : series)
    if (!line.points.empty()) line.points.push_back({story.run_s, line.points.back().y});
  const Chart chart{.title = "Shares of an iteration over the run's time",
                    .x_name = "run time, s",
                    .y_name = "share, %",
                    .x_to = story.run_s,
                    .y_to = std::max(1.0, most * 1.1)};
  return line_chart(chart, series, budget.points);
}

std::string staleness_chart(const RunStory& story, const DrawingBudget& budget) {
  std::vector<Series> series = lines(story, budget);
  double most = 1;
  for (std::uint32_t worker = 0; worker < series.size(); ++worker)
    for (const GroupMark& group : story.groups[worker]) {
      series[worker].points.push_back({group.run_s, static_cast<double>(group.lead)});
      most = std::max(most, static_cast<double>(group.lead));
    }
  const Chart chart{.title = "Staleness over the run's time",
                    .x_name = "run time, s",
                    .y_name = "lead, iterations",
                    .x_to = story.run_s,
                    .y_to = most * 1.1};
  return line_chart(chart, series, budget.points);
}

std::string accuracy_chart(const RunStory& story, const DrawingBudget& budget) {
  Chart chart;
  chart.title = "Test accuracy over the run's time";
  chart.x_name = "run time, s";
  chart.x_to = story.run_s;
  return accuracy_over(story, budget, chart, [](const EvaluationMark& at) { return at.run_s; });
}

std::string learning_chart(const RunStory& story, const DrawingBudget& budget) {
  Chart chart;
  chart.title = "Test accuracy over the samples applied";
  chart.x_name = "samples";
  return accuracy_over(story, budget, chart,
                       [](const EvaluationMark& at) { return static_cast<double>(at.samples); });
}

}  // namespace slime::tools

#include "tools/slime/record/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "tools/slime/console.hpp"

namespace slime::tools {

namespace {

constexpr std::size_t workers_listed_max = 16;
constexpr std::size_t cell_bytes_max = 60;
constexpr const char* nothing = "-";

using Cell = std::function<std::string(const RunFigures&)>;

/// One line: what it tells, then each run's.
using Line = std::vector<std::string>;

class Table {
 public:
  explicit Table(std::span<const RunFigures> runs) : runs_(runs) {}

  void add(const std::string& label, const Cell& cell) {
    Line line{label};
    for (const RunFigures& run : runs_)
      line.push_back(shortened(one_line(cell(run)), cell_bytes_max));
    lines_.push_back(std::move(line));
  }

  std::string text() const {
    std::vector<std::size_t> widths(runs_.size() + 1);
    for (const Line& line : lines_)
      for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    std::string text;
    for (const Line& line : lines_) {
      std::string shown;
      for (std::size_t i = 0; i < line.size(); ++i)
        shown += fmt::format("{:{}}  ", line[i], widths[i]);
      text += shown.substr(0, shown.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
  }

 private:
  std::span<const RunFigures> runs_;
  std::vector<Line> lines_;
};

std::string percent(double fraction) {
  return fmt::format("{:.1f} %", fraction * 100);
}

void add_targets(Table& table, std::span<const RunFigures> runs) {
  std::set<double> targets;
  for (const RunFigures& run : runs)
    for (const auto& [target, seconds] : run.seconds_to_accuracy) targets.insert(target);
  for (const double target : targets)
    table.add(fmt::format("time to accuracy {}", target), [target](const RunFigures& run) {
      for (const auto& [own, seconds] : run.seconds_to_accuracy)
        if (own == target && seconds) return fmt::format("{:.1f} s", *seconds);
      return std::string(nothing);
    });
}

void add_workers(Table& table, std::span<const RunFigures> runs) {
  std::size_t most = 0;
  for (const RunFigures& run : runs) most = std::max(most, run.workers.size());
  if (most <= workers_listed_max) {
    for (std::size_t worker = 0; worker < most; ++worker)
      table.add(fmt::format("worker {}", worker), [worker](const RunFigures& run) {
        if (worker >= run.workers.size()) return std::string(nothing);
        return fmt::format("{} samples, idle {}", run.workers[worker].samples,
                           percent(run.workers[worker].idle_fraction));
      });
    return;
  }
  const auto extremes = [](const RunFigures& run) {
    return std::minmax_element(
        run.workers.begin(), run.workers.end(),
        [](const auto& a, const auto& b) { return a.idle_fraction < b.idle_fraction; });
  };
  table.add("least idle worker", [&](const RunFigures& run) {
    return run.workers.empty() ? nothing : percent(extremes(run).first->idle_fraction);
  });
  table.add("most idle worker", [&](const RunFigures& run) {
    return run.workers.empty() ? nothing : percent(extremes(run).second->idle_fraction);
  });
}

}  // namespace

std::string comparison_text(std::span<const RunFigures> runs) {
  Table table(runs);
  table.add("run", [](const RunFigures& run) { return run.name; });
  table.add("record", [](const RunFigures& run) {
    return std::filesystem::path(run.file).filename().string();
  });
  table.add("end", [](const RunFigures& run) { return run.how; });
  table.add("mode", [](const RunFigures& run) { return run.mode; });
  table.add("balance", [](const RunFigures& run) { return run.policy; });
  table.add("workers", [](const RunFigures& run) { return std::to_string(run.workers.size()); });
  table.add("run time", [](const RunFigures& run) { return fmt::format("{:.1f} s", run.seconds); });
  add_targets(table, runs);
  table.add("makespan ratio", [](const RunFigures& run) {
    return run.makespan_ratio ? fmt::format("{:.3f}", *run.makespan_ratio) : nothing;
  });
  table.add("final accuracy", [](const RunFigures& run) {
    return run.accuracy ? fmt::format("{:.4f}", *run.accuracy) : nothing;
  });
  table.add("iterations", [](const RunFigures& run) { return std::to_string(run.iterations); });
  table.add("samples", [](const RunFigures& run) { return std::to_string(run.samples); });
  table.add("staleness, mean and most", [](const RunFigures& run) {
    return fmt::format("{:.2f}, {}", run.lead_mean, run.lead_max);
  });
  table.add("decisions of shares",
            [](const RunFigures& run) { return std::to_string(run.decisions); });
  table.add("workers' deaths", [](const RunFigures& run) { return std::to_string(run.deaths); });
  table.add("rollbacks", [](const RunFigures& run) { return std::to_string(run.rollbacks); });
  add_workers(table, runs);
  return table.text();
}

}  // namespace slime::tools

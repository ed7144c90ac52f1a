#include "tools/bench/balance_bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tools/bench/hardship.hpp"
#include "tools/bench/training_run.hpp"

namespace slime::bench {

namespace {

using Words = std::vector<std::string>;

// Ten times what the slowest strategy takes.
constexpr Duration run_limit = std::chrono::minutes(15);

double target(bool quick) {
  return quick ? 0.5 : 0.85;
}

/// One way to be unequal.
struct Scenario {
  std::string name;
  Words emulated;  ///< Settings below `emulate`, NAME=VALUE; none: the hardship is real.
};

/// One way to cope with it.
struct Strategy {
  std::string name;
  Words settings;  ///< NAME=VALUE.
};

Strategy strategy(const std::string& mode, const std::string& policy, bool reassign) {
  return {mode + " " + policy + (reassign ? "" : ", no reassignment"),
          {"sync.mode=" + mode, "balance.policy=" + policy,
           std::string("balance.fast_reassignment=") + (reassign ? "true" : "false")}};
}

// What we recommend first, plain synchronous training second.
std::vector<Strategy> strategies() {
  return {strategy("a_dsp", "adapt_fr", true),    strategy("bsp", "equal", false),
          strategy("bsp", "adapt_fr", true),      strategy("asp", "equal", false),
          strategy("ssp", "equal", false),        strategy("dssp", "equal", false),
          strategy("dsp", "proportional", false), strategy("bsp", "lb_bsp_cpu", false),
          strategy("bsp", "lb_bsp_gpu", false),   strategy("bsp", "proportional_control", false),
          strategy("bsp", "antdt_nd", false),     strategy("bsp", "work_queue", true),
          strategy("bsp", "flex_rr", true),       strategy("bsp", "backup_workers", true)};
}

// Four workers; times are of runs whose ideal is 11 to 16 s.
std::vector<Scenario> scenarios() {
  const std::string quarter = "emulate.speeds=[1.0, 1.0, 1.0, 0.25]";
  const std::string equal = "emulate.speeds=[1.0, 1.0, 1.0, 1.0]";
  std::string square = "emulate.changes=[";
  for (int i = 1; i <= 12; ++i)
    square += fmt::format("{}{{worker = 0, at_seconds = {}.0, speed = {}}}", i == 1 ? "" : ", ",
                          3 * i, i % 2 == 1 ? "0.5" : "1.0");
  return {
      {"one at a quarter", {quarter}},
      {"two-fold step", {equal, "emulate.changes=[{worker = 0, at_seconds = 6.0, speed = 0.5}]"}},
      {"square wave", {equal, square + "]"}},
      {"noise of 20 %", {equal, "emulate.noise=0.2"}},
      {"stall of 5 s",
       {equal, "emulate.stalls=[{worker = 0, at_seconds = 4.0, for_seconds = 5.0}]"}},
      {"throttled, crowded", {}}};
}

/// Where the programs and files of a run are.
struct Places {
  std::filesystem::path slime;    ///< The program, beside this one.
  std::filesystem::path sources;  ///< The project.
  std::filesystem::path scratch;
};

// The job of every run: small enough that emulated time is longer than what computing takes when
// four processes share two processors.
Words job_settings(const Scenario& scenario, bool quick) {
  Words settings{"workers=4", "shards=2", "model.layers=[\"dense 128 relu\", \"dense 10\"]",
                 fmt::format("target_accuracies=[{}]", target(quick)),
                 fmt::format("epochs={}", quick ? 1 : 5),
                 // For whoever has such a bound; a_dsp and dsp use as much of it as they need.
                 "sync.staleness_max=8", "evaluate.every_iterations=50",
                 "checkpoint.directory=\"\"", "checkpoint.every_iterations=0"};
  if (scenario.emulated.empty()) return settings;
  settings.push_back(fmt::format("emulate.sample_us={}", quick ? 20 : 120));
  settings.insert(settings.end(), scenario.emulated.begin(), scenario.emulated.end());
  return settings;
}

std::string job_file(const Places& places, const Scenario& scenario) {
  return places.sources / "tools/jobs" /
         (scenario.emulated.empty() ? "fashion_mnist.toml" : "uneven.toml");
}

Words slime_command(const Places& places, const Scenario& scenario, const Strategy& strategy,
                    bool quick) {
  Words command{places.slime, "train",       job_file(places, scenario),
                "--json",     "--directory", places.scratch};
  for (const Words& settings : {job_settings(scenario, quick), strategy.settings})
    for (const std::string& setting : settings) command.insert(command.end(), {"--set", setting});
  return command;
}

Words ddp_command(const Places& places, const Scenario& scenario, bool quick) {
  // The same one that `has_ddp` asked: whichever is first on the PATH.
  Words command{"/usr/bin/env", "python3", places.sources / "tools/bench/ddp_training.py",
                job_file(places, scenario)};
  for (const std::string& setting : job_settings(scenario, quick))
    command.insert(command.end(), {"--set", setting});
  return command;
}

bool has_ddp() {
  return std::system("python3 -c 'import torch.distributed' > /dev/null 2>&1") == 0;
}

/// What one strategy gave in one scenario, a value per repetition.
struct Measured {
  std::vector<double> seconds, ratios, to_target, accuracies;
};

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string cell(const std::vector<double>& values, std::size_t runs, const std::string& unit) {
  if (values.empty()) return "-";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{:.2f}{} [{:.2f} {:.2f}]{}", median(values), unit, *low, *high,
                     values.size() < runs ? fmt::format(" in {} of {}", values.size(), runs) : "");
}

/// Prints what a scenario gave and keeps it as JSON: the first strategy beside each other one.
class Report {
 public:
  /// @param goal  The accuracy that runs are timed to.
  Report(std::size_t runs, double goal)
      : runs_(runs), goal_(fmt::format("time to {:.0f} %, s", 100 * goal)) {}

  /// @param names  In order; only those that are in `measured` ran.
  void add(const std::string& scenario, const Words& names,
           const std::map<std::string, Measured>& measured) {
    const Measured* ours = nullptr;
    for (const std::string& name : names) {
      if (!measured.contains(name)) continue;
      const Measured& theirs = measured.at(name);
      print(scenario, name, theirs);
      if (!ours) {
        ours = &theirs;
        add_row(scenario + ": whole run, s", median(theirs.seconds), "ideal time",
                median(theirs.seconds) / median(theirs.ratios));
        continue;
      }
      add_row(scenario + ": " + goal_, median(ours->to_target), name, median(theirs.to_target));
      add_row(scenario + ": whole run, s", median(ours->seconds), name, median(theirs.seconds));
    }
  }
  std::string json() const {
    return R"({"bench":"balance","rows":[)" + rows_ + R"(],"worst_ratio":)" + number(worst_) + "}";
  }

 private:
  void print(const std::string& scenario, const std::string& strategy,
             const Measured& measured) const {
    std::cout << fmt::format("{:<20} {:<32} {:<26} {:<26} {:.2f} %\n", scenario, strategy,
                             cell(measured.ratios, runs_, ""),
                             cell(measured.to_target, runs_, " s"),
                             100 * median(measured.accuracies))
              << std::flush;
  }
  // NaN stands for what was not reached, or is not known.
  static std::string number(double value) {
    return std::isnan(value) ? std::string("null") : fmt::format("{:.4f}", value);
  }
  void add_row(const std::string& name, double ours, const std::string& rival, double theirs) {
    const double ratio = theirs / ours;
    // Of a number and NaN it takes the number.
    worst_ = std::fmin(worst_, ratio);
    rows_ += fmt::format(R"({}{{"case":"{}","ours":{},"rival":"{}","theirs":{},"ratio":{}}})",
                         rows_.empty() ? "" : ",", name, number(ours), rival, number(theirs),
                         number(ratio));
  }

  std::size_t runs_;
  std::string goal_;
  std::string rows_;
  double worst_ = std::numeric_limits<double>::quiet_NaN();
};

/// A strategy's name and the command that trains by it.
using Contender = std::pair<std::string, Words>;

std::vector<Contender> contenders(const Places& places, const Scenario& scenario,
                                  const Options& options, bool with_ddp) {
  std::vector<Contender> all;
  for (const Strategy& one : strategies())
    all.emplace_back(one.name, slime_command(places, scenario, one, options.quick));
  if (with_ddp && !scenario.emulated.empty())
    all.emplace_back("PyTorch DDP", ddp_command(places, scenario, options.quick));
  std::erase_if(all, [&](const Contender& one) {
    return (scenario.name + ": " + one.first).find(options.only) == std::string::npos;
  });
  return all;
}

/// Says how the first one fares against the best of the others, by the time to the target.
std::string verdict(const std::vector<Contender>& contenders,
                    std::map<std::string, Measured>& measured) {
  const auto seconds = [&](const std::string& name) { return median(measured[name].to_target); };
  std::string best;
  for (std::size_t i = 1; i < contenders.size(); ++i)
    if (const double its = seconds(contenders[i].first); !std::isnan(its))
      if (best.empty() || its < seconds(best)) best = contenders[i].first;
  const std::string& first = contenders.front().first;
  if (best.empty() || std::isnan(seconds(first))) return "";
  return fmt::format("{} is x{:.2f} as quick as the best other one, {}\n", first,
                     seconds(best) / seconds(first), best);
}

/// Runs each once. False: one of them failed, as said.
bool run_each(const Scenario& scenario, const std::vector<Contender>& contenders,
              std::map<std::string, Measured>& measured) {
  bool all_well = true;
  for (const auto& [name, command] : contenders) {
    Hardship hardship;
    const bool real = scenario.emulated.empty();
    const auto result = run_training(command, run_limit, [&](pid_t train) {
      if (real) hardship.look_at(train);
    });
    const std::string trouble = !result ? to_string(result.error())
                                : real && !hardship.begun()
                                    ? "its workers could not be slowed down: it was over before "
                                      "they were found, or they may not be bound to a processor"
                                    : "";
    if (!trouble.empty()) {
      all_well = false;
      std::cerr << fmt::format("slime-bench balance: {}: {}: {}\n", scenario.name, name, trouble);
      continue;
    }
    Measured& values = measured[name];
    values.seconds.push_back(result->seconds);
    values.accuracies.push_back(result->accuracy);
    if (result->to_target) values.to_target.push_back(*result->to_target);
    if (result->makespan_ratio) values.ratios.push_back(*result->makespan_ratio);
  }
  return all_well;
}

}  // namespace

int run_balance(const Options& options) {
  std::error_code unknown;
  const Places places{
      std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / "slime",
      SLIME_SOURCES,
      std::filesystem::temp_directory_path() / fmt::format("slime-bench-{}", ::getpid())};
  const std::size_t runs = repetitions(options, 3);
  const bool with_ddp = has_ddp();
  std::cout << fmt::format(
      "four workers, two shards, Fashion-MNIST; median [min max] of {}; time over ideal time; "
      "time to {:.0f} % accuracy; final accuracy\n{}",
      runs, 100 * target(options.quick),
      with_ddp ? "" : "without PyTorch: python3-torch is not installed\n");
  Report report(runs, target(options.quick));
  bool any = false;
  bool all_well = true;
  for (const Scenario& scenario : scenarios()) {
    const auto chosen = contenders(places, scenario, options, with_ddp);
    if (chosen.empty()) continue;
    any = true;
    std::map<std::string, Measured> measured;
    // Turn about, so that what the machine does meanwhile hits all alike.
    for (std::size_t i = 0; i < runs; ++i)
      if (!run_each(scenario, chosen, measured)) all_well = false;
    Words names;
    for (const auto& [name, command] : chosen) names.push_back(name);
    report.add(scenario.name, names, measured);
    std::cout << verdict(chosen, measured) << std::flush;
  }
  std::filesystem::remove_all(places.scratch, unknown);
  if (!any) {
    std::cerr << "slime-bench balance: no case has \"" << options.only
              << "\" in its name, which is \"SCENARIO: STRATEGY\"\n";
    return 4;
  }
  if (options.json) std::cout << report.json() << std::endl;
  return all_well ? 0 : 1;
}

}  // namespace slime::bench

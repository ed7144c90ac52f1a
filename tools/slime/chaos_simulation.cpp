#include "tools/slime/chaos_simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "tools/slime/chaos/simulated/seed_run.hpp"
#include "tools/slime/chaos/simulated/seed_series.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/settings/job_settings.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "chaos";
constexpr Duration progress_interval = std::chrono::seconds(10);
// The first ones tell enough.
constexpr std::uint64_t violations_told = 20;

/// One run of the command.
class Simulation {
 public:
  Simulation(const ChaosOptions& options, const Console& console)
      : options_(options), console_(console), started_(monotonic_now()), told_(started_) {}

  ExitCode run() {
    if (const Status prepared = prepare(); !prepared) return failed(prepared.error());
    const bool alone = options_.processes == 0 || options_.seeds == 1;
    if (const Status done = alone ? run_here() : run_in_processes(); !done) {
      if (interrupted_)
        return report(console_, command, exit_code_of_signal(*interrupted_), "interrupted",
                      done.error().context, options_.json);
      return failed(done.error());
    }
    // A process that runs seeds for another one tells no more than these.
    if (options_.processes > 0) tell_summary();
    return violated_ == 0 ? ExitCode::ok : ExitCode::failure;
  }

 private:
  ExitCode failed(const Error& error) const {
    return report(console_, command, error, options_.json);
  }

  Status prepare() {
    ChaosOptions::Words names = options_.faults;
    if (names.empty())
      for (const SimulatedFault& fault : simulated_faults()) names.emplace_back(fault.name);
    auto faults = entries_named(simulated_faults(), names, "--faults");
    if (!faults) return faults.error();
    rules_.faults = std::move(*faults);
    if (!options_.plant.empty()) {
      const auto bug = entries_named(planted_bugs(), {options_.plant}, "--plant");
      if (!bug) return bug.error();
      bug_ = bug->front();
    }
    return options_.job.empty() ? ok() : load();
  }

  Status load() {
    const auto settings =
        load_job({options_.job, console_.environment, options_.sets}, known_names());
    if (!settings) return settings.error();
    rules_.job = settings->job;
    return rules_.job->read([](schema::JobSpec::Reader job) -> Status {
      if (job.getWorkers() <= members_max && job.getShards() <= members_max) return ok();
      return Error{Errc::invalid_argument,
                   fmt::format("--simulate: the job has {} workers and {} shards; at most {} of "
                               "each are simulated: --set workers=N --set shards=N",
                               job.getWorkers(), job.getShards(), members_max)};
    });
  }

  Status run_here() {
    // Who runs seeds for another process was told where to put things.
    auto folder = options_.processes == 0 ? WorkFolder::create({}) : WorkFolder::create_in_memory();
    if (!folder) return folder.error();
    SeedRun runs(rules_, bug_, std::move(*folder));
    for (std::uint64_t i = 0; i < options_.seeds; ++i) {
      const auto outcome = runs.run(options_.first + i);
      if (!outcome)
        return Error{outcome.error().code, fmt::format("running seed {}: {}", options_.first + i,
                                                       outcome.error().context)};
      take(*outcome);
    }
    return ok();
  }

  Status run_in_processes() {
    StopSignals signals;
    // Whatever becomes of the processes, what they leave goes with this one.
    const auto folder = WorkFolder::create_in_memory();
    if (!folder) return folder.error();
    SeedSeries::Settings settings;
    settings.environment = {"TMPDIR=" + folder->path().string()};
    settings.arguments = {"chaos", "--simulate", "--json", "--jobs", "0"};
    for (const std::string& word : how_to_run()) settings.arguments.push_back(word);
    settings.first = options_.first;
    settings.seeds = options_.seeds;
    settings.processes = options_.processes;
    settings.on_outcome = [this](const SeedOutcome& outcome) { take(outcome); };
    SeedSeries series(std::move(settings), signals);
    const Status done = series.run();
    interrupted_ = series.interrupted();
    return done;
  }

  /// What another command must be told to run the same seeds.
  ChaosOptions::Words how_to_run() const {
    ChaosOptions::Words words;
    if (!options_.job.empty()) words.push_back(options_.job);
    for (const std::string& set : options_.sets) words.insert(words.end(), {"--set", set});
    if (!options_.faults.empty())
      words.insert(words.end(), {"--faults", fmt::format("{}", fmt::join(options_.faults, ","))});
    if (!options_.plant.empty()) words.insert(words.end(), {"--plant", options_.plant});
    return words;
  }

  void take(const SeedOutcome& outcome) {
    ++done_;
    for (const auto& [fault, count] : outcome.strikes) {
      auto& tally = tallies_[fault];
      tally.strikes += count;
      ++tally.seeds;
      if (!outcome.ok()) ++tally.violated;
    }
    if (!outcome.ok()) ++violated_;
    const bool told = outcome.ok() ? options_.seeds == 1 : violated_ <= violations_told;
    if (options_.json) {
      if (told || options_.processes == 0) console_.out << outcome_json(outcome) << '\n';
    } else if (told) {
      console_.out << outcome_text(outcome);
      if (!outcome.ok()) console_.out << "  to replay: " << replay(outcome.seed) << '\n';
    }
    console_.out << std::flush;
    tell_progress();
  }

  std::string replay(std::uint64_t seed) const {
    std::string text = fmt::format("slime chaos --simulate --first {} --seeds 1", seed);
    for (const std::string& word : how_to_run()) {
      const bool plain = word.find_first_of(" '\"[]$\\") == std::string::npos;
      text += plain ? " " + word : " '" + word + "'";
    }
    return text;
  }

  void tell_progress() {
    const Instant now = monotonic_now();
    if (options_.processes == 0 || now - told_ < progress_interval || done_ == options_.seeds)
      return;
    told_ = now;
    console_.err << fmt::format("{} of {} seeds, {} violated\n", done_, options_.seeds, violated_)
                 << std::flush;
  }

  void tell_summary() const {
    const double seconds = to_seconds(monotonic_now() - started_);
    if (options_.json) {
      std::string faults;
      for (const auto& [fault, tally] : tallies_)
        faults += (faults.empty() ? "" : ",") + JsonObject()
                                                    .text("fault", fault)
                                                    .number("strikes", tally.strikes)
                                                    .number("seeds", tally.seeds)
                                                    .number("violated", tally.violated)
                                                    .str();
      console_.out << JsonObject()
                          .boolean("ok", violated_ == 0)
                          .number("first", options_.first)
                          .number("seeds", done_)
                          .number("violated", violated_)
                          .raw("faults", "[" + faults + "]")
                          .number("seconds", seconds)
                          .str()
                   << '\n';
      return;
    }
    console_.out << fmt::format("{} seeds from {}, {} violated, in {:.1f} s\n", done_,
                                options_.first, violated_, seconds)
                 << fmt::format("{:<10} {:>8} {:>8} {:>8}\n", "fault", "strikes", "seeds",
                                "violated");
    for (const auto& [fault, tally] : tallies_)
      console_.out << fmt::format("{:<10} {:>8} {:>8} {:>8}\n", fault, tally.strikes, tally.seeds,
                                  tally.violated);
  }

  struct Tally {
    std::uint64_t strikes = 0;
    std::uint64_t seeds = 0;  ///< In which it happened.
    std::uint64_t violated = 0;
  };

  const ChaosOptions& options_;
  const Console& console_;
  DrawRules rules_;
  const PlantedBug* bug_ = nullptr;
  Instant started_;
  Instant told_;
  std::uint64_t done_ = 0;
  std::uint64_t violated_ = 0;
  std::map<std::string, Tally> tallies_;
  std::optional<int> interrupted_;
};

}  // namespace

ExitCode run_chaos_simulation(const ChaosOptions& options, const Console& console) {
  return Simulation(options, console).run();
}

}  // namespace slime::tools

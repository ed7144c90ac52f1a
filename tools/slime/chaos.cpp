#include "tools/slime/chaos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "actors/training/job_parts.hpp"
#include "runtime/base/random.hpp"
#include "tools/slime/chaos/chaos_report.hpp"
#include "tools/slime/chaos/chaos_run.hpp"
#include "tools/slime/chaos/work_folder.hpp"
#include "tools/slime/chaos_options.hpp"
#include "tools/slime/chaos_simulation.hpp"
#include "tools/slime/job_files.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/run_folder.hpp"
#include "tools/slime/settings/job_settings.hpp"
#include "trainer/data/formats.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "chaos";
// Of `emulate.sample_us`.
constexpr double sample_us_max = 1e9;

using Words = ChaosOptions::Words;

Result<std::uint64_t> training_samples(schema::JobSpec::Reader job) {
  std::vector<std::filesystem::path> files;
  for (const auto file : job.getData().getTrain()) files.emplace_back(file.cStr());
  const auto data = trainer::load_dataset(job.getData().getFormat().cStr(), files);
  if (!data) return data.error();
  return std::uint64_t{data->samples()};
}

/// What of a job matters here.
struct JobTraits {
  trainer::WorkPlan plan;
  bool committed = false;
  bool reproducible = false;
  bool saves = false;
  double sample_us = 0;
  double speeds = 0;  ///< Of all workers together.
  std::uint32_t workers = 1;
  std::uint32_t shards = 1;
};

Result<JobTraits> traits_of(schema::JobSpec::Reader job) {
  const auto samples = training_samples(job);
  if (!samples) return samples.error();
  const auto mode = actors::mode_of(job);
  if (!mode) return mode.error();
  JobTraits traits;
  traits.plan = actors::work_plan(job, *samples);
  traits.committed = (*mode)->committed();
  traits.reproducible = traits.committed && actors::reproducible(job);
  traits.saves = job.getCheckpoint().getEveryIterations() > 0 ||
                 job.getCheckpoint().getEverySeconds() > 0 ||
                 job.getCheckpoint().getInterval() == schema::CheckpointInterval::COMPUTED;
  traits.workers = job.getWorkers();
  traits.shards = job.getShards();
  traits.sample_us = job.getEmulate().getSampleUs();
  const auto speeds = job.getEmulate().getSpeeds();
  traits.speeds = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  if (speeds.size() == 0) traits.speeds = job.getWorkers();
  return traits;
}

/// One run of the command.
class Chaos {
 public:
  Chaos(const ChaosOptions& options, const Console& console)
      : options_(options), console_(console) {}

  ExitCode run() {
    const Status prepared = prepare();
    if (!prepared) return report(console_, command, prepared.error(), options_.json);
    say(plan_text(seed_, plan_), plan_json(seed_, plan_));
    if (options_.dry_run) return ExitCode::ok;
    // Before any other thread.
    StopSignals signals;
    auto folder = WorkFolder::create(options_.directory);
    if (!folder) return report(console_, command, folder.error(), options_.json);
    auto outcome = go_through(*folder, signals);
    if (interrupted_)
      return report(console_, command, exit_code_of_signal(*interrupted_), "interrupted",
                    outcome.error().context, options_.json);
    if (!outcome) {
      folder->keep();
      return report(
          console_, command,
          Error{outcome.error().code, outcome.error().context + "; see " + folder->path().string()},
          options_.json);
    }
    const bool met = all_met(*outcome);
    if (!met) folder->keep();
    say(outcome_text(*outcome), outcome_json(seed_, *outcome));
    if (folder->kept())
      console_.err << "records and logs are in " << folder->path().string() << '\n';
    return met ? ExitCode::ok : ExitCode::failure;
  }

 private:
  Status prepare() {
    const Words usual{"kill"};
    const auto faults =
        entries_named(fault_kinds(), options_.faults.empty() ? usual : options_.faults, "--faults");
    if (!faults) return faults.error();
    const auto targets = entries_named(fault_targets(), options_.targets, "--targets");
    if (!targets) return targets.error();
    const auto settings =
        load_job({options_.job, console_.environment, options_.sets}, known_names());
    if (!settings) return settings.error();
    const auto traits = settings->job.read([](auto read) { return traits_of(read); });
    if (!traits) return traits.error();
    traits_ = *traits;
    const auto named = [&](std::string_view name) {
      return std::ranges::any_of(*targets, [name](auto target) { return target->name == name; });
    };
    durable_ = std::ranges::any_of(*targets, &FaultTarget::durable);
    if (durable_ && named("all"))
      return Error{Errc::invalid_argument,
                   "--targets: all and head do not go together: with head the cluster is one of "
                   "its own, which is never killed as a whole; leave one of them out"};
    if (!options_.expect.empty() && !traits_.reproducible)
      return Error{Errc::invalid_argument,
                   "--expect: the parameters of this job differ from run to run; only those of "
                   "sync.mode = \"bsp\" with reduction = \"reproducible\" are promised"};
    seed_ = options_.seed.value_or(random_node_id().low);
    plan_ = draw_plan({.seed = seed_,
                       .faults = *faults,
                       .targets = *targets,
                       .count = options_.count,
                       .iterations = traits_.plan.iterations(),
                       .saves = traits_.saves,
                       .pace = from_seconds(options_.pace_s)});
    return ok();
  }

  Result<ChaosOutcome> go_through(const WorkFolder& folder, StopSignals& signals) {
    auto runtime = RunFolder::create(console_.environment);
    // The run's own folder must fit into it.
    if (runtime && runtime->path().string().size() > RunFolder::parent_bytes_max)
      return with_runtime(RunFolder::create({}), folder, signals);
    return with_runtime(std::move(runtime), folder, signals);
  }

  Result<ChaosOutcome> with_runtime(Result<RunFolder> runtime, const WorkFolder& folder,
                                    StopSignals& signals) {
    if (!runtime) return runtime.error();
    std::optional<std::string> sha256;
    if (traits_.reproducible) {
      const auto undisturbed = undisturbed_sha256(folder, runtime->path(), signals);
      if (!undisturbed) return undisturbed.error();
      sha256 = *undisturbed;
    }
    const auto checkpoints = folder.path() / "checkpoints";
    ChaosRun::Settings settings =
        settings_of(folder.path(), runtime->path(), disturbed_job(checkpoints));
    settings.checkpoints = checkpoints;
    settings.faults = plan_;
    if (durable_) settings.durable = {traits_.workers, traits_.shards};
    settings.on_fault = [this](const InjectedFault& fault) {
      say(injected_text(fault) + "\n", injected_json(fault));
    };
    auto outcome = watched(std::move(settings), signals);
    if (!outcome) return outcome;
    outcome->expected_sha256 = sha256;
    outcome->checkpoints = verify_all(checkpoints);
    return outcome;
  }

  Result<std::string> undisturbed_sha256(const WorkFolder& folder,
                                         const std::filesystem::path& runtime,
                                         StopSignals& signals) {
    if (!options_.expect.empty()) return options_.expect;
    const auto place = folder.path() / "undisturbed";
    std::error_code failure;
    std::filesystem::create_directories(place, failure);
    if (failure)
      return Error{Errc::io_error,
                   "making the folder " + place.string() + ": " + failure.message()};
    const auto outcome = watched(settings_of(place, runtime, undisturbed_job()), signals);
    if (!outcome) return outcome.error();
    const auto& end = outcome->trace.end();
    if (!outcome->ended_well || !end || !end->finished)
      return Error{
          Errc::internal,
          "the job cannot be disturbed, for it does not finish by itself: " + outcome->end};
    say(fmt::format("undisturbed: {:.1f} s, sha256 {}\n", outcome->seconds, end->parameters_sha256),
        JsonObject()
            .raw("undisturbed", JsonObject()
                                    .number("seconds", outcome->seconds)
                                    .text("parameters_sha256", end->parameters_sha256)
                                    .str())
            .str());
    return end->parameters_sha256;
  }

  Result<ChaosOutcome> watched(ChaosRun::Settings settings, StopSignals& signals) {
    ChaosRun run(std::move(settings), signals);
    auto outcome = run.run();
    interrupted_ = run.interrupted();
    return outcome;
  }

  ChaosRun::Settings settings_of(const std::filesystem::path& folder,
                                 const std::filesystem::path& runtime, Words job) const {
    ChaosRun::Settings settings;
    settings.job = std::move(job);
    settings.folder = folder;
    settings.runtime_directory = runtime;
    settings.plan = traits_.plan;
    settings.committed = traits_.committed;
    settings.stuck_after = from_seconds(options_.stuck_s);
    return settings;
  }

  Words job_with(const Words& ours) const {
    Words words{options_.job};
    for (const Words* sets : {&options_.sets, &ours})
      for (const std::string& set : *sets) words.insert(words.end(), {"--set", set});
    return words;
  }

  Words undisturbed_job() const {
    Words ours{"checkpoint.directory=\"\"", "checkpoint.every_iterations=0",
               "checkpoint.every_seconds=0"};
    // Emulated machines wait; what they compute is the same.
    if (traits_.sample_us > 0) ours.emplace_back("emulate.sample_us=0.001");
    return job_with(ours);
  }

  Words disturbed_job(const std::filesystem::path& checkpoints) const {
    Words ours{"checkpoint.directory=" + json_quote(checkpoints.string())};
    const double seconds = options_.pace_s * static_cast<double>(parts_of_job(options_.count));
    const double samples =
        static_cast<double>(traits_.plan.samples) * static_cast<double>(traits_.plan.epochs);
    const double sample_us = std::min(sample_us_max, seconds * 1e6 * traits_.speeds / samples);
    if (sample_us > traits_.sample_us)
      ours.push_back(fmt::format("emulate.sample_us={:.3f}", std::max(0.001, sample_us)));
    return job_with(ours);
  }

  void say(const std::string& text, const std::string& json) const {
    console_.out << (options_.json ? json + "\n" : text) << std::flush;
  }

  const ChaosOptions& options_;
  const Console& console_;
  JobTraits traits_;
  std::uint64_t seed_ = 0;
  std::vector<PlannedFault> plan_;
  bool durable_ = false;  ///< Some target needs a cluster with a durable head.
  std::optional<int> interrupted_;
};

}  // namespace

ExitCode run_chaos(std::span<const std::string> arguments, const Console& console) {
  ChaosOptions options;
  CLI::App parser(
      "Trains the model of a job file on this machine, as slime train does, while it injects "
      "faults "
      "at moments of training and saving that the seed draws, and then checks what must hold "
      "whatever happens; ends with 1 where it does not. The job's own checkpoint.directory is not "
      "touched. Faults wait while one process was started so often lately that its run would give "
      "it up: four times, with less than 60 s in between. With --simulate it does so to the same "
      "actors in virtual time, once for each of many seeds.");
  describe(parser, options);
  if (const auto over = parse(parser, command, arguments, console)) return *over;
  if (options.simulate) return run_chaos_simulation(options, console);
  if (options.job.empty())
    return report(console, command,
                  Error{Errc::invalid_argument,
                        "JOB.toml is missing: name a job file, or use --simulate, which needs "
                        "none"},
                  options.json);
  return Chaos(options, console).run();
}

}  // namespace slime::tools

#include "tools/bench/recovery_bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "actors/training/job_names.hpp"
#include "runtime/base/random.hpp"
#include "runtime/wire/address.hpp"
#include "tools/bench/head_recovery.hpp"
#include "tools/slime/job_client.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/local_run.hpp"
#include "tools/slime/process_identity.hpp"
#include "tools/slime/settings/job_settings.hpp"

namespace slime::bench {

namespace {

using namespace std::chrono_literals;

using Job = runtime::Message<schema::JobSpec>;

// Resolution of what is measured.
constexpr Duration look_pause = 2ms;
constexpr Duration patience = 120s;

enum class Victim : std::uint8_t { worker, shard, shard_with_standby, head };

struct Case {
  std::string name;
  Victim victim;
  double limit_s;  ///< What is asked for.
  std::vector<std::string> settings;
  bool large = false;  ///< Takes minutes.
};

/// A shard of `mib` MiB, one half values and the other momentum, in a job that does little else.
Case shard_of(unsigned mib, bool standby) {
  // Inputs, outputs and two biases for each hidden unit.
  const std::size_t hidden = std::size_t{mib} * (std::size_t{1} << 20) / 8 / 795;
  return {
      fmt::format("killed shard of {} MiB{}: serves again", mib, standby ? ", with standby" : ""),
      standby ? Victim::shard_with_standby : Victim::shard,
      standby ? 1.0 : 5.0,
      {"workers=1", "shards=1", fmt::format("replicas={}", standby ? 1 : 0), "batch=16", "block=16",
       "reduction=fast", fmt::format("model.layers=[\"dense {} relu\", \"dense 10\"]", hidden),
       "checkpoint.every_iterations=10", "emulate.sample_us=3000"},
      mib > 16};
}

std::vector<Case> cases() {
  // Iterations of 60 ms.
  return {{"killed worker: its work is taken up",
           Victim::worker,
           1.5,
           {"workers=3", "shards=2", "checkpoint.every_iterations=100", "emulate.sample_us=300"}},
          shard_of(1, false),
          shard_of(64, false),
          shard_of(256, false),
          shard_of(1, true),
          shard_of(64, true),
          shard_of(256, true),
          {"killed head: the job goes on, from its restart",
           Victim::head,
           3.0,
           {"workers=3", "shards=2", "checkpoint.every_iterations=100", "emulate.sample_us=300"}}};
}

/// Of a job that outlasts its measurement and keeps its checkpoints in `scratch`.
std::vector<std::string> settings_of(const Case& one, const std::filesystem::path& scratch) {
  auto sets = one.settings;
  sets.push_back(fmt::format("checkpoint.directory=\"{}\"", (scratch / "checkpoints").string()));
  sets.insert(sets.end(), {"epochs=1000000", "evaluate.every_iterations=1000000000"});
  return sets;
}

/// How the job is, at one moment.
struct State {
  bool training = false;
  std::uint64_t term = 0;
  std::uint64_t iteration = 0;
  std::int64_t checkpoint = -1;
  std::uint32_t rollbacks = 0;
  std::uint32_t standbys = 0;  ///< Shards that have one with everything.
  bool complete = false;       ///< Every worker is at work.
};

Error late(std::string_view what) {
  return {Errc::timeout,
          fmt::format("waiting until {}: it is not so after {:.0f} s", what, to_seconds(patience))};
}

/// A job that trains in this process and children of it, which die with it.
class DisturbedJob {
 public:
  static Result<std::unique_ptr<DisturbedJob>> start(const Case& one,
                                                     const std::filesystem::path& scratch) {
    const tools::Environment environment;
    const auto settings = tools::load_job({std::string(SLIME_SOURCES) + "/tools/jobs/chaos.toml",
                                           environment, settings_of(one, scratch)},
                                          tools::known_names());
    if (!settings) return settings.error();
    tools::LocalRun::Settings where;
    settings->job.read([&](schema::JobSpec::Reader job) {
      where.workers = job.getWorkers();
      where.shards = tools::LocalRun::shard_processes(job);
    });
    where.log_directory = scratch / "logs";
    where.program =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "slime").string();
    // Each kill is to be met as the first one.
    where.restart = {
        .restarts_max = runtime::RestartLimits::unlimited, .backoff = 100ms, .backoff_max = 100ms};
    auto run = tools::LocalRun::start(where, environment);
    if (!run) return run.error();
    const std::uint32_t standbys = one.victim == Victim::shard_with_standby ? 1 : 0;
    auto made = std::unique_ptr<DisturbedJob>(new DisturbedJob(std::move(*run), standbys));
    if (const Status there =
            made->until("all processes have joined", [&] { return made->run_->complete(); });
        !there)
      return there.error();
    if (const Status begun = made->job_.submit(settings->job, false); !begun) return begun.error();
    return made;
  }
  ~DisturbedJob() {
    job_.end();
    run_->stop(5s);
  }
  DisturbedJob(const DisturbedJob&) = delete;
  DisturbedJob& operator=(const DisturbedJob&) = delete;

  /// Waits until everything runs as if nothing had happened, then trains on for a drawn while.
  Status calm(Random& random) {
    const auto well = until("the job trains with all its processes and a checkpoint", [this] {
      const State now = look();
      return now.training && now.complete && now.checkpoint >= 0 && now.standbys >= standbys_ &&
             run_->complete();
    });
    if (!well) return well;
    const Instant end = monotonic_now() + 500ms + std::chrono::milliseconds(random.below(1000));
    return until("a while has passed", [end] { return monotonic_now() >= end; });
  }

  /// Seconds from the kill of that child until all that it was doing is done or done again.
  Result<double> kill(Victim whom) {
    const auto name = whom == Victim::worker ? Result<std::string>("worker-0") : shard_process();
    if (!name) return name.error();
    std::optional<tools::ProcessIdentity> victim;
    for (const tools::ChildState& child : run_->children())
      if (child.name == *name && child.pid != 0)
        if (const auto process = tools::identify(child.pid)) victim = *process;
    const auto before = begin();
    if (!before) return before.error();
    const Instant killed = monotonic_now();
    if (!victim || !tools::send_signal(*victim, SIGKILL))
      return Error{Errc::not_found, "killing " + *name + ": it does not run"};
    std::optional<std::uint64_t> back_at;
    State now;
    const auto done = until("the job has recovered", [&] {
      now = look();
      if (whom == Victim::worker) return now.iteration >= before->iteration + 2;
      if (!back_at && now.training && now.term > before->term) back_at = now.iteration;
      return back_at && now.term > before->term && now.iteration > *back_at;
    });
    if (!done) return done.error();
    const double seconds = to_seconds(monotonic_now() - killed);
    if (whom == Victim::shard_with_standby && now.rollbacks != before->rollbacks)
      return Error{Errc::internal, "killing " + *name + ": the job rolled back, though its shard " +
                                       "had a standby"};
    return seconds;
  }

  /// Seconds until as much is done when nobody is killed.
  Result<double> spare() {
    const auto before = begin();
    if (!before) return before.error();
    const Instant started = monotonic_now();
    const auto done = until("two iterations are applied",
                            [&] { return look().iteration >= before->iteration + 2; });
    if (!done) return done.error();
    return to_seconds(monotonic_now() - started);
  }

 private:
  DisturbedJob(std::unique_ptr<tools::LocalRun> run, std::uint32_t standbys)
      : run_(std::move(run)), job_(run_->access(), "chaos"), standbys_(standbys) {}

  /// The process with the job's first shard, which a takeover changes.
  Result<std::string> shard_process() {
    const tools::ClusterAccess cluster = run_->access();
    const std::string name = actors::JobNames("chaos", job_.run()).of("shard/0");
    const auto found = cluster.node.call(
        cluster.directory,
        runtime::Message<schema::Lookup>::make([&](auto root) { root.setName(name); }), 2s);
    if (!found) return found.error();
    const NodeId node =
        found->read([](auto read) { return runtime::read_address(read.getAddress()).node; });
    const auto members =
        cluster.node.call(cluster.membership, runtime::Message<schema::GetMembers>::make(), 2s);
    if (!members) return members.error();
    return members->read([node](schema::Members::Reader read) -> Result<std::string> {
      for (const auto member : read.getMembers())
        if (runtime::read_node(member.getNode()) == node) return std::string(member.getName());
      return Error{Errc::not_found, "looking for the shard's process: its node is no member"};
    });
  }

  template <class Condition>
  Status until(std::string_view what, Condition condition) {
    const Instant deadline = monotonic_now() + patience;
    while (!condition()) {
      if (monotonic_now() > deadline) return late(what);
      if (!failure_) return failure_;
      if (const auto news = run_->news(); !news) return news.error();
      std::this_thread::sleep_for(look_pause);
    }
    return ok();
  }

  /// How the job is where a measurement begins.
  Result<State> begin() {
    State state;
    const auto told = until("the job says how it is", [&] {
      state = look();
      return state.training;
    });
    if (!told) return told.error();
    return state;
  }

  /// Whoever does not answer is not training.
  State look() {
    State state;
    const auto progress = job_.progress();
    if (!progress) return state;
    progress->read([&](schema::Progress::Reader read) {
      state.training = read.getState() == schema::JobState::TRAINING;
      state.term = read.getTerm();
      state.iteration = read.getIteration();
      state.checkpoint = read.getLastCheckpoint();
      state.rollbacks = read.getRollbacks();
      state.standbys = read.getStandbys();
      state.complete = read.getWorkers().size() > 0;
      for (const auto worker : read.getWorkers()) state.complete &= worker.getAlive();
      if (read.getState() == schema::JobState::FAILED)
        failure_ = Error{Errc::internal, read.getFailure().getContext().cStr()};
    });
    return state;
  }

  std::unique_ptr<tools::LocalRun> run_;
  tools::JobClient job_;
  std::uint32_t standbys_;  ///< That are waited for.
  Status failure_ = ok();
};

struct Measured {
  std::vector<double> killed, spared;
};

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const double at = part * static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(at + 0.5)];
}

Result<Measured> measure(const Case& one, std::size_t kills, const std::filesystem::path& scratch) {
  if (one.victim == Victim::head) {
    auto seconds = measure_killed_heads(settings_of(one, scratch), kills, scratch);
    if (!seconds) return seconds.error();
    return Measured{std::move(*seconds), {}};
  }
  const auto job = DisturbedJob::start(one, scratch);
  if (!job) return job.error();
  Measured measured;
  Random random(1);
  for (std::size_t i = 0; i < kills; ++i) {
    if (const Status calm = (*job)->calm(random); !calm) return calm.error();
    if (one.victim == Victim::worker) {
      const auto spared = (*job)->spare();
      if (!spared) return spared.error();
      measured.spared.push_back(*spared);
    }
    const auto seconds = (*job)->kill(one.victim);
    if (!seconds) return seconds.error();
    measured.killed.push_back(*seconds);
  }
  return measured;
}

std::string row_json(const Case& one, const Measured& measured) {
  const double ours = quantile(measured.killed, 0.5);
  return fmt::format(
      R"({{"case":"{}, s","ours":{:.4f},"rival":"limit","theirs":{:.4f},"ratio":{:.3f},)"
      R"("kills":{},"least":{:.4f},"p90":{:.4f},"most":{:.4f}}})",
      one.name, ours, one.limit_s, one.limit_s / ours, measured.killed.size(),
      quantile(measured.killed, 0), quantile(measured.killed, 0.9), quantile(measured.killed, 1));
}

void print(const Case& one, const Measured& measured) {
  std::cout << fmt::format("{:<54} {:.2f} s [{:.2f} {:.2f}], 90 % within {:.2f} s; limit {:.1f} s",
                           one.name, quantile(measured.killed, 0.5), quantile(measured.killed, 0),
                           quantile(measured.killed, 1), quantile(measured.killed, 0.9),
                           one.limit_s);
  if (!measured.spared.empty())
    std::cout << fmt::format("; nobody killed: {:.2f} s [{:.2f} {:.2f}]",
                             quantile(measured.spared, 0.5), quantile(measured.spared, 0),
                             quantile(measured.spared, 1));
  std::cout << std::endl;
}

}  // namespace

int run_recovery(const Options& options) {
  const std::size_t kills = repetitions(options, 20);
  std::cout << fmt::format(
      "kill -9 of one process of a job on this machine; median [min max] of {} kills\n"
      "worker: until the iteration after the one under way is applied; shard: until the first "
      "iteration after the rollback is, or after the standby took over; head: from its restart, "
      "until two more iterations than before are\n",
      kills);
  std::string rows;
  double worst = 0;
  bool any = false, all_well = true;
  for (const Case& one : cases()) {
    if (one.name.find(options.only) == std::string::npos || (options.quick && one.large)) continue;
    any = true;
    const auto scratch =
        std::filesystem::temp_directory_path() / fmt::format("slime-bench-{}", ::getpid());
    const auto measured = measure(one, kills, scratch);
    std::error_code ignored;
    std::filesystem::remove_all(scratch, ignored);
    if (!measured) {
      all_well = false;
      std::cerr << fmt::format("slime-bench recovery: {}: {}\n", one.name,
                               to_string(measured.error()));
      continue;
    }
    print(one, *measured);
    const double ratio = one.limit_s / quantile(measured->killed, 0.5);
    worst = rows.empty() ? ratio : std::min(worst, ratio);
    rows += (rows.empty() ? "" : ",") + row_json(one, *measured);
  }
  if (!any) {
    std::cerr << "slime-bench recovery: no case has \"" << options.only
              << "\" in its name; without --only all are run and named\n";
    return 4;
  }
  if (options.json)
    std::cout << fmt::format(R"({{"bench":"recovery","rows":[{}],"worst_ratio":{:.3f}}})", rows,
                             worst)
              << std::endl;
  return all_well ? 0 : 1;
}

}  // namespace slime::bench

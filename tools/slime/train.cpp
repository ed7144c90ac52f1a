#include "tools/slime/train.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "tools/slime/arguments.hpp"
#include "tools/slime/cluster_token.hpp"
#include "tools/slime/job_files.hpp"
#include "tools/slime/job_watch.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/local_run.hpp"
#include "tools/slime/record/record_writer.hpp"
#include "tools/slime/resume_point.hpp"
#include "tools/slime/session.hpp"
#include "tools/slime/settings/job_settings.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "train";
constexpr Duration gather_within = std::chrono::seconds(5);
constexpr Duration head_grace = std::chrono::seconds(90);
constexpr Duration children_grace = std::chrono::seconds(5);

using Job = runtime::Message<schema::JobSpec>;

struct Options {
  std::string job;
  std::vector<std::string> sets;
  bool json = false;
  std::string resume;  ///< From which checkpoint; empty: it starts anew.
  std::string address;
  bool attach = false;
  std::string token_file;
  std::string session;
  std::string directory;
  std::string record;
  double grace_s = 30;
};

void describe(CLI::App& parser, Options& options) {
  parser.add_option("job", options.job, "job file")->type_name("JOB.toml")->required();
  parser.add_option("--set", options.sets, "override a setting: sync.mode=bsp, workers=4")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  parser.add_flag("--json", options.json, "progress and result as JSON objects, one a line");
  auto* resume = parser.add_flag(
      "--resume{newest}", options.resume,
      "go on from the newest whole checkpoint, or from the one that is named: an ITERATION or best "
      "of the job's own, or PATH[@ITERATION|@best], where PATH is a directory of checkpoints or a "
      "JOB.toml");
  auto* address =
      parser.add_option("--address", options.address, "run on the cluster whose head is there")
          ->type_name("ADDRESS");
  auto* attach =
      parser
          .add_flag(
              "--attach", options.attach,
              "follow the job of that name which runs there, started by somebody whose watch has "
              "ended, instead of starting one")
          ->needs(address)
          ->excludes(resume);
  parser.add_option("--token-file", options.token_file, "holds that cluster's secret")
      ->type_name("FILE")
      ->needs(address);
  parser.add_option("--session", options.session, "folder that holds it otherwise")
      ->type_name("DIR")
      ->needs(address);
  parser.add_option("--directory", options.directory, "keep the logs of the run's processes there")
      ->type_name("DIR")
      ->excludes(address);
  parser
      .add_option(
          "--record", options.record,
          "write what the run does to this file, instead of one in the folder of --directory "
          "or, without that, of the job's checkpoints")
      ->type_name("FILE")
      ->excludes(attach);
  parser
      .add_option("--grace", options.grace_s,
                  "seconds that a run which is asked to end by SIGTERM, SIGINT or SIGUSR1 has to "
                  "save a checkpoint")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 43200.0));
}

/// One run of the command.
class Train {
 public:
  Train(const Options& options, const Console& console)
      : options_(options), console_(console), printer_(printer(options, console)) {}

  ExitCode run() {
    if (const Status named = find_resume_point(); !named)
      return report(console_, command, named.error(), options_.json);
    if (const Status spared = spare_job_file(); !spared)
      return report(console_, command, spared.error(), options_.json);
    const auto job = load();
    if (!job) return report(console_, command, job.error(), options_.json);
    const auto end = options_.address.empty() ? run_alone(*job) : run_on_cluster(*job);
    printer_.clear();
    if (!end) return report(console_, command, end.error(), options_.json);
    return end->finished ? finished(*job, *end) : interrupted(*job, *end);
  }

 private:
  static ProgressPrinter printer(const Options& options, const Console& console) {
    using Style = ProgressPrinter::Style;
    if (options.json) return {console.out, Style::json};
    return {console.err, ::isatty(STDERR_FILENO) ? Style::redraw : Style::lines};
  }

  bool resumes() const { return !options_.resume.empty(); }

  Status find_resume_point() {
    if (!resumes()) return ok();
    const StorePlace place = options_.address.empty() ? StorePlace::here : StorePlace::cluster;
    auto point = resume_point(options_.resume, place, console_.environment);
    if (!point) return point.error();
    from_ = std::move(*point);
    return ok();
  }

  /// Found out before anything is started.
  Status check_resumable(schema::JobSpec::Reader job) const {
    if (is_own_newest(from_)) return check_checkpoints(job, LocalRun::head_name);
    return check_resume_point(from_, job.getCheckpoint().getDirectory().cStr());
  }

  /// A slip of the command line must not cost the job file.
  Status spare_job_file() const {
    std::error_code absent;
    if (options_.record.empty() ||
        !std::filesystem::equivalent(options_.record, options_.job, absent))
      return ok();
    return Error{
        Errc::invalid_argument,
        fmt::format("the record would replace the job file {}; --record names another file",
                    options_.job)};
  }

  Result<Job> load() const {
    auto settings = load_job({options_.job, console_.environment, options_.sets}, known_names());
    if (!settings) return settings.error();
    std::error_code failure;
    Job job = with_absolute_paths(settings->job, std::filesystem::current_path(failure));
    if (failure) return Error{Errc::io_error, "finding the working folder: " + failure.message()};
    if (!options_.address.empty()) return job;  // Its files lie where its workers are.
    const Status files = job.read([this](schema::JobSpec::Reader read) {
      const Status there = check_files(read);
      return there && resumes() ? check_resumable(read) : there;
    });
    if (!files) return files.error();
    return job;
  }

  Result<JobEnd> run_alone(const Job& job) {
    LocalRun::Settings settings;
    job.read([&](schema::JobSpec::Reader read) {
      settings.workers = read.getWorkers();
      settings.shards = LocalRun::shard_processes(read);
    });
    settings.log_directory = options_.directory;
    settings.end_within = from_seconds(options_.grace_s) + children_grace;
    // Before any other thread.
    StopSignals signals;
    const auto local = LocalRun::start(settings, console_.environment);
    if (!local) return local.error();
    const auto signal = gather(**local, signals);
    auto end = signal ? Result(JobEnd{.signal = signal})
                      : watch(job, (*local)->access(), signals, [&] { return (*local)->news(); });
    const bool in_haste = end && end->signal && !end->stopped;
    (*local)->stop(in_haste ? Duration::zero() : children_grace);
    return end;
  }

  /// Waits for the children to be members, so that the job's actors spread over all of them; a late
  /// one is not waited for much longer. Returns the signal that came meanwhile.
  std::optional<int> gather(LocalRun& local, StopSignals& signals) const {
    const Instant deadline = monotonic_now() + gather_within;
    while (!local.complete() && monotonic_now() < deadline) {
      const auto news = local.news();
      if (!news) break;  // The watch meets it again and reports it.
      for (const std::string& line : *news) console_.err << one_line(line) << '\n';
      if (const auto signal = signals.wait(std::chrono::milliseconds(20))) return signal->number;
    }
    return std::nullopt;
  }

  Result<JobEnd> run_on_cluster(const Job& job) {
    const std::string session =
        options_.session.empty()
            ? Session::default_folder(console_.environment, ::geteuid()).string()
            : options_.session;
    const auto token = find_token({-1, options_.token_file, session});
    if (!token) return token.error();
    StopSignals signals;
    const auto client = ClusterClient::connect(endpoint_of(options_.address), token->text,
                                               log_to(STDERR_FILENO, LogLevel::error));
    if (!client) return token->explain(client.error());
    auto end =
        watch(job, (*client)->access(), signals, {}, [&] { return (*client)->look_again(); });
    if (end || end.error().code != Errc::unavailable) return end;
    return Error{Errc::unavailable, end.error().context +
                                        "; should the cluster come back, its job goes on, and "
                                        "--attach follows it"};
  }

  Result<JobEnd> watch(const Job& job, const ClusterAccess& cluster, StopSignals& signals,
                       std::function<Result<std::vector<std::string>>()> news,
                       std::function<Result<ClusterAccess>()> look_again = {}) {
    return job.read([&](schema::JobSpec::Reader read) -> Result<JobEnd> {
      JobClient client(cluster, read.getName().cStr());
      if (const Status there =
              options_.attach ? client.attach() : client.submit(job, resumes(), from_);
          !there)
        return there.error();
      // Whoever started it has told of its beginning.
      if (!options_.attach) begin_record(read, client.run());
      JobWatch::Settings settings;
      settings.news = std::move(news);
      settings.grace = from_seconds(options_.grace_s);
      // Longer than nodes wait for a head that is started again.
      if (look_again) settings.silence_max = head_grace;
      settings.look_again = std::move(look_again);
      if (record_) settings.record = [this](const RecordPiece& piece) { record_->add(piece); };
      JobWatch watch(cluster, client, read, signals, console_, printer_, settings);
      auto end = watch.run();
      if (record_) record_->end(watch.latest(), end ? "" : end.error().context);
      client.end();
      return end;
    });
  }

  void begin_record(schema::JobSpec::Reader job, actors::RunId run) {
    const auto complain = [this](const std::string& line) {
      printer_.clear();
      console_.err << one_line(line) << std::endl;
    };
    const std::string folder = options_.directory.empty()
                                   ? std::string(job.getCheckpoint().getDirectory().cStr())
                                   : options_.directory;
    if (!options_.record.empty())
      record_.emplace(options_.record, complain);
    else if (!folder.empty())
      record_ = RecordWriter::in(folder, wall_clock_us(), complain);
    else
      return;
    record_->begin(job, static_cast<std::uint64_t>(run), resumes(), wall_clock_us());
  }

  ExitCode finished(const Job& job, const JobEnd& end) const {
    RunResult result = job.read([&](schema::JobSpec::Reader spec) {
      return end.progress.read(
          [&](schema::Progress::Reader progress) { return run_result(spec, progress); });
    });
    if (record_ && record_->whole()) result.record = record_->file().string();
    console_.out << (options_.json ? result_json(result) + "\n" : result_text(result));
    return ExitCode::ok;
  }

  /// What there is to go on from when the run has left no checkpoint.
  std::string without_checkpoint(const Job& job) const {
    return job.read([this](schema::JobSpec::Reader read) -> std::string {
      if (!options_.address.empty() || !check_checkpoints(read, LocalRun::head_name))
        return "there is no checkpoint to go on from";
      return fmt::format(
          "this run has left no checkpoint; --resume goes on from the newest of earlier runs, "
          "which "
          "slime checkpoint list {} lists",
          read.getCheckpoint().getDirectory().cStr());
    });
  }

  ExitCode interrupted(const Job& job, const JobEnd& end) const {
    const std::string how = end.progress.read([&](schema::Progress::Reader progress) {
      const std::int64_t checkpoint = progress.getLastCheckpoint();
      return fmt::format("{} by signal {} at iteration {}; {}", end.stopped ? "stopped" : "ended",
                         *end.signal, progress.getIteration(),
                         checkpoint < 0
                             ? without_checkpoint(job)
                             : fmt::format("--resume goes on from iteration {}", checkpoint));
    });
    return report(console_, command, exit_code_of_signal(*end.signal), "interrupted", how,
                  options_.json);
  }

  const Options& options_;
  const Console& console_;
  ProgressPrinter printer_;
  ResumePoint from_;
  std::optional<RecordWriter> record_;
};

}  // namespace

ExitCode run_train(std::span<const std::string> arguments, const Console& console) {
  Options options;
  CLI::App parser(
      "Trains the model of a job file, with workers and shards in processes of their own on this "
      "machine, or on the cluster at --address.");
  describe(parser, options);
  // As from a script whose variable is empty, which did not mean the newest.
  if (std::ranges::find(arguments, "--resume=") != arguments.end())
    return report(console, command,
                  Error{Errc::invalid_argument,
                        "--resume= names no checkpoint; --resume alone goes on from the newest"},
                  std::ranges::find(arguments, "--json") != arguments.end());
  if (const auto over = parse(parser, command, arguments, console)) return *over;
  return Train(options, console).run();
}

}  // namespace slime::tools

#include "tools/bench/head_recovery.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <thread>

#include "runtime/base/random.hpp"
#include "tools/slime/cluster_access.hpp"
#include "tools/slime/job_client.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/local_cluster.hpp"
#include "tools/slime/settings/job_settings.hpp"

namespace slime::bench {

namespace {

using namespace std::chrono_literals;

// Resolution of what is measured.
constexpr Duration look_pause = 2ms;
constexpr Duration patience = 120s;
constexpr Duration end_grace = 5s;
constexpr const char* token = "of this measurement alone";

/// A job on a cluster whose head is a child like all others.
class HeadedJob {
 public:
  static Result<std::unique_ptr<HeadedJob>> start(const std::vector<std::string>& sets,
                                                  const std::filesystem::path& scratch) {
    const tools::Environment environment;
    const auto settings =
        tools::load_job({std::string(SLIME_SOURCES) + "/tools/jobs/chaos.toml", environment, sets},
                        tools::known_names());
    if (!settings) return settings.error();
    std::unique_ptr<HeadedJob> made(new HeadedJob(scratch));
    if (const Status running = made->start_processes(settings->job); !running)
      return running.error();
    if (const Status joined = made->join(); !joined) return joined.error();
    made->job_.emplace(made->client_->access(), "chaos");
    if (const Status begun = made->job_->submit(settings->job, false); !begun) return begun.error();
    return made;
  }
  ~HeadedJob() {
    if (job_) job_->end();
    if (children_) children_->stop(end_grace);
  }
  HeadedJob(const HeadedJob&) = delete;
  HeadedJob& operator=(const HeadedJob&) = delete;

  /// Waits until everything runs as if nothing had happened, then trains on for a drawn while.
  Status calm(Random& random) {
    const Status well = until("the job trains with all its workers", [this] { return at_work(); });
    if (!well) return well;
    std::this_thread::sleep_for(500ms + std::chrono::milliseconds(random.below(1000)));
    return ok();
  }

  Result<double> kill_head() {
    const std::uint64_t before = iteration_;
    const pid_t victim = head();
    if (victim == 0 || ::kill(victim, SIGKILL) != 0)
      return Error{Errc::not_found, "killing the head: it does not run"};
    const Status restarted =
        until("the head has another process", [&] { return head() != 0 && head() != victim; });
    if (!restarted) return restarted.error();
    const Instant again = monotonic_now();
    // Whoever asked the process before would wait for it in vain.
    job_.reset();
    const Status done = until("the job has gone on", [&] {
      if (!look()) follow();
      return iteration_ >= before + 2;
    });
    if (!done) return done.error();
    return to_seconds(monotonic_now() - again);
  }

 private:
  explicit HeadedJob(std::filesystem::path scratch) : scratch_(std::move(scratch)) {}

  std::string socket(const std::string& name) const {
    return "unix:" + (scratch_ / name).string() + ".socket";
  }

  tools::ChildSpec child(const std::string& name, std::vector<std::string> place) const {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "slime";
    std::vector<std::string> command{program.string(), "start",   "--listen", socket(name),
                                     "--session",      session(), "--name",   name};
    command.insert(command.end(), place.begin(), place.end());
    return {name, command, token, {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"}};
  }
  std::string session() const { return (scratch_ / "session").string(); }

  Status start_processes(const runtime::Message<schema::JobSpec>& job) {
    std::vector<tools::ChildSpec> all{
        child("head", {"--head", "--role", "head", "--state", (scratch_ / "state").string()})};
    const auto join = [&](const std::string& name, const std::string& role) {
      all.push_back(child(name, {"--join", socket("head"), "--role", role}));
    };
    job.read([&](schema::JobSpec::Reader read) {
      for (unsigned i = 0; i < read.getWorkers(); ++i) join(fmt::format("worker-{}", i), "worker");
      for (unsigned i = 0; i < read.getShards(); ++i) join(fmt::format("shard-{}", i), "shard");
    });
    nodes_ = all.size();
    tools::LocalCluster::Options options;
    options.log_directory = scratch_ / "logs";
    options.restart = {
        .restarts_max = runtime::RestartLimits::unlimited, .backoff = 100ms, .backoff_max = 100ms};
    auto children = tools::LocalCluster::start(std::move(all), std::move(options));
    if (!children) return children.error();
    children_ = std::move(*children);
    return ok();
  }

  Status join() {
    const Status there = until("the head answers", [this] { return connect(); });
    return there ? until("all processes have joined", [this] { return complete(); }) : there;
  }

  bool connect() {
    auto client = tools::ClusterClient::connect({socket("head")}, token, log_);
    if (!client) return false;
    job_.reset();
    client_ = std::move(*client);
    return true;
  }

  bool complete() const {
    const auto access = client_->access();
    const auto members =
        access.node.call(access.membership, runtime::Message<schema::GetMembers>::make(), 2s);
    return members && members->read([this](schema::Members::Reader read) {
      std::size_t alive = 0;
      for (const auto member : read.getMembers())
        alive += member.getState() == schema::MemberState::ALIVE ? 1 : 0;
      return alive == nodes_;
    });
  }

  template <class Condition>
  Status until(std::string_view what, Condition condition) const {
    const Instant deadline = monotonic_now() + patience;
    while (!condition()) {
      if (monotonic_now() > deadline)
        return Error{Errc::timeout, fmt::format("waiting until {}: it is not so after {:.0f} s",
                                                what, to_seconds(patience))};
      std::this_thread::sleep_for(look_pause);
    }
    return ok();
  }

  pid_t head() const {
    for (const tools::ChildState& child : children_->children())
      if (child.name == "head") return child.pid;
    return 0;
  }

  /// By a connection of its own, for the old one is tried again after a pause that is not the
  /// cluster's.
  void follow() {
    if (connect()) job_.emplace(client_->access(), "chaos");
  }

  /// Takes down how the job is. False: it did not answer.
  bool look() {
    if (!job_) return false;
    const auto progress = job_->progress();
    if (!progress) return false;
    progress->read([this](schema::Progress::Reader read) {
      training_ = read.getState() == schema::JobState::TRAINING;
      iteration_ = read.getIteration();
      all_work_ = true;
      for (const auto worker : read.getWorkers()) all_work_ &= worker.getAlive();
    });
    return true;
  }

  bool at_work() { return look() && training_ && all_work_; }

  std::filesystem::path scratch_;
  tools::NodeLog log_ = tools::log_to(STDERR_FILENO, runtime::LogLevel::error);
  std::size_t nodes_ = 0;
  std::unique_ptr<tools::LocalCluster> children_;
  std::unique_ptr<tools::ClusterClient> client_;
  std::optional<tools::JobClient> job_;
  bool training_ = false;
  bool all_work_ = false;
  std::uint64_t iteration_ = 0;
};

}  // namespace

Result<std::vector<double>> measure_killed_heads(std::vector<std::string> settings,
                                                 std::size_t kills,
                                                 const std::filesystem::path& scratch) {
  const auto job = HeadedJob::start(settings, scratch);
  if (!job) return job.error();
  std::vector<double> seconds;
  Random random(1);
  while (seconds.size() < kills) {
    if (const Status calm = (*job)->calm(random); !calm) return calm.error();
    const auto one = (*job)->kill_head();
    if (!one) return one.error();
    seconds.push_back(*one);
  }
  return seconds;
}

}  // namespace slime::bench

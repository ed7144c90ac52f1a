#include "tools/slime/local_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "actors/training/types.hpp"
#include "runtime/wire/address.hpp"
#include "tools/slime/bounded_log.hpp"
#include "tools/slime/session.hpp"

namespace slime::tools {

using runtime::Message;

namespace {

constexpr Duration answer_within = std::chrono::seconds(1);
constexpr std::uint64_t head_log_bytes_max = std::uint64_t{8} << 20;

/// A log for a node of this process.
NodeLog log_to_file(const std::filesystem::path& file) {
  struct Shared {
    explicit Shared(const std::filesystem::path& path) : log(path, head_log_bytes_max) {}
    std::mutex mutex;
    BoundedLog log;
  };
  auto shared = std::make_shared<Shared>(file);
  return [shared](LogLevel level, const std::string& text) {
    const std::string line = log_line(level, text, wall_clock_us()) + "\n";
    const std::lock_guard lock(shared->mutex);
    shared->log.append(line);
  };
}

}  // namespace

Result<std::unique_ptr<LocalRun>> LocalRun::start(const Settings& settings,
                                                  const Environment& environment) {
  auto folder = RunFolder::create(environment);
  if (!folder) return folder.error();
  std::unique_ptr<LocalRun> run(new LocalRun(std::move(*folder), settings));
  std::error_code failure;
  std::filesystem::create_directories(run->log_directory_, failure);
  if (failure)
    return Error{Errc::io_error, fmt::format("creating the log folder {}: {}",
                                             run->log_directory_.string(), failure.message())};
  if (const Status started = run->start_head(); !started) return started.error();
  if (const Status started = run->start_children(settings); !started) return started.error();
  return run;
}

LocalRun::LocalRun(RunFolder folder, const Settings& settings)
    : folder_(std::move(folder)),
      log_directory_(settings.log_directory.empty() ? folder_.path() / "logs"
                                                    : settings.log_directory),
      token_(make_token()) {}

LocalRun::~LocalRun() {
  stop(Duration::zero());
}

std::uint32_t LocalRun::shard_processes(schema::JobSpec::Reader job) {
  return std::max(job.getShards(), 1 + job.getReplicas());
}

Status LocalRun::start_head() {
  log_ = log_to_file(log_directory_ / "head.log");
  actors::ClusterSettings settings;
  settings.node.link.self.name = head_name;
  settings.node.link.cluster_id = cluster_id;
  settings.node.link.token = token_;
  settings.node.link.listen = {{"unix:" + (folder_.path() / "head").string()}};
  settings.node.link.log = log_;
  settings.roles = {"head"};
  auto head = actors::ClusterNode::start_head(std::move(settings), actors::training_types());
  if (!head) return head.error();
  head_ = std::move(*head);
  return ok();
}

Status LocalRun::start_children(const Settings& settings) {
  std::vector<ChildSpec> specs;
  for (std::uint32_t i = 0; i < settings.workers; ++i)
    specs.push_back(child(fmt::format("worker-{}", i), "worker", settings));
  for (std::uint32_t i = 0; i < settings.shards; ++i)
    specs.push_back(child(fmt::format("shard-{}", i), "shard", settings));
  LocalCluster::Options options;
  options.log_directory = log_directory_;
  options.restart = settings.restart;
  options.on_exit = [this](const ChildEvent& event) { ended(event); };
  auto children = LocalCluster::start(std::move(specs), std::move(options));
  if (!children) return children.error();
  children_ = std::move(*children);
  return ok();
}

ChildSpec LocalRun::child(const std::string& name, const std::string& role,
                          const Settings& settings) const {
  const auto in_folder = [this](const std::string& file) {
    return (folder_.path() / file).string();
  };
  return {
      name,
      {settings.program, "start", "--join", "unix:" + in_folder("head"), "--listen",
       "unix:" + in_folder(name), "--name", name, "--role", role, "--session", in_folder("session"),
       "--log-level", "info", "--parent-grace", fmt::format("{}", to_seconds(settings.end_within)),
       // The head is this process.
       "--head-wait", "0"},
      token_,
      // A worker is one thread of work; libraries that add more would take them from others.
      {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"}};
}

ClusterAccess LocalRun::access() const {
  return {head_->node(), head_->membership(), head_->directory(), head_->supervisor()};
}

Result<std::vector<std::string>> LocalRun::news() {
  const std::lock_guard lock(mutex_);
  if (!failure_) return failure_.error();
  return std::exchange(news_, {});
}

bool LocalRun::complete() const {
  const auto members =
      head_->node().call(head_->membership(), Message<schema::GetMembers>::make(), answer_within);
  return members && members->read([this](schema::Members::Reader read) {
    std::size_t alive = 0;
    for (const auto member : read.getMembers())
      if (member.getState() == schema::MemberState::ALIVE) ++alive;
    return alive == children_->children().size() + 1;  // And the head.
  });
}

void LocalRun::stop(Duration grace) {
  if (children_) children_->stop(grace);
  if (head_) static_cast<void>(head_->stop());
}

void LocalRun::ended(const ChildEvent& event) {
  std::string text = to_string(event);
  const bool orderly = !event.failure && !event.exit.by_signal && event.exit.number == 0;
  if (!event.restart_in && !orderly) text += last_words(event.name);
  if (event.pid != 0) declare_dead(event.pid, text);
  const std::lock_guard lock(mutex_);
  news_.push_back(text);
  if (!event.restart_in && !orderly && failure_) failure_ = Error{Errc::unavailable, text};
}

/// The kernel tells of a child's death at once; silence would need seconds to. Done before the
/// child starts again, because its name is taken until then.
void LocalRun::declare_dead(pid_t pid, const std::string& why) {
  const auto members =
      head_->node().call(head_->membership(), Message<schema::GetMembers>::make(), answer_within);
  if (!members) return;
  members->read([&](schema::Members::Reader read) {
    for (const auto member : read.getMembers()) {
      const bool present = member.getState() == schema::MemberState::ALIVE ||
                           member.getState() == schema::MemberState::SUSPECT;
      if (!present || member.getPid() != static_cast<std::uint32_t>(pid)) continue;
      const auto death = Message<schema::Suspect>::make([&](schema::Suspect::Builder root) {
        root.setNode(member.getNode());
        root.setIncarnation(member.getIncarnation());
        root.setLost(true);
        root.setReason(why);
        runtime::write_node(root.initReporter(), head_->node().identity().node);
      });
      // Refused only when the node is stopping, and then nobody cares any more.
      static_cast<void>(head_->node().tell(head_->membership().address, death.any()));
    }
  });
}

std::string LocalRun::last_words(const std::string& child) const {
  std::ifstream log(log_directory_ / (child + ".log"));
  std::string last;
  for (std::string line; std::getline(log, line);)
    if (!line.empty()) last = line;
  return last.empty() ? "" : ": " + last;
}

}  // namespace slime::tools

#include "tools/slime/job_client.hpp"

#include <thread>
#include <utility>

#include "runtime/base/random.hpp"
#include "runtime/wire/address.hpp"

namespace slime::tools {

using runtime::Message;

namespace {

constexpr Duration submit_within = std::chrono::seconds(15);
constexpr Duration end_within = std::chrono::seconds(2);
constexpr Duration watcher_within = std::chrono::seconds(2);
constexpr Duration pause = std::chrono::milliseconds(20);

Message<schema::CoordinatorSpec> coordinator_spec(const ClusterAccess& cluster,
                                                  const Message<schema::JobSpec>& job, bool resume,
                                                  const Message<schema::CheckpointChoice>& from,
                                                  actors::RunId run) {
  return Message<schema::CoordinatorSpec>::make(
      [&](schema::CoordinatorSpec::Builder root) {
        job.read([&](schema::JobSpec::Reader read) { root.setJob(read); });
        root.setResume(resume);
        from.read([&](schema::CheckpointChoice::Reader read) { root.setFrom(read); });
        root.setRun(static_cast<std::uint64_t>(run));
        runtime::write_address(root.initMembership(), cluster.membership.address);
        runtime::write_address(root.initDirectory(), cluster.directory.address);
      },
      job.words().count() + from.words().count() + 64);
}

}  // namespace

JobClient::JobClient(const ClusterAccess& cluster, std::string name)
    : cluster_(cluster), name_(std::move(name)) {}

Status JobClient::submit(const Message<schema::JobSpec>& job, bool resume,
                         const Message<schema::CheckpointChoice>& from) {
  if (const Status free = free_name(); !free) return free.error();
  run_ = actors::RunId{random_node_id().low};
  const auto spec = coordinator_spec(cluster_, job, resume, from, run_);
  const auto bytes = spec.words().as_bytes();
  const auto order = Message<schema::Supervise>::make(
      [&](schema::Supervise::Builder root) {
        root.setName(coordinator_name());
        root.setRole("head");
        auto spawn = root.initSpawn();
        spawn.setType("coordinator");
        spawn.setSpecType(runtime::type_id<schema::CoordinatorSpec>());
        spawn.setSpec({reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()});
      },
      spec.words().count() + 64);
  const auto supervised = cluster_.node.call(cluster_.supervisor, order, submit_within);
  if (!supervised)
    return Error{supervised.error().code,
                 "submitting job " + name_ + ": " + supervised.error().context};
  return ok();
}

Status JobClient::attach() {
  const Status found = find_coordinator();
  if (found || found.error().code != Errc::not_found) return found;
  return Error{Errc::not_found,
               "attaching to job " + name_ + ": no job of that name runs in this cluster"};
}

/// A job that is over keeps its name until whoever watches it has seen its end, which a watcher
/// that was killed never will.
Status JobClient::free_name() {
  const Instant deadline = monotonic_now() + watcher_within;
  while (find_coordinator()) {
    const auto progress = this->progress();
    const bool over = progress && progress->read([](schema::Progress::Reader read) {
      return read.getState() > schema::JobState::TRAINING;
    });
    const bool late = monotonic_now() > deadline;
    if (over && late) {
      end();
      break;
    }
    if ((progress && !over) || late)
      return Error{Errc::already_exists, "submitting job " + name_ +
                                             ": a job of that name runs in this cluster; follow "
                                             "it with --attach, or give this one another name "
                                             "with --set name=NAME"};
    std::this_thread::sleep_for(pause);
  }
  coordinator_ = {};
  return ok();
}

Status JobClient::find_coordinator() {
  const auto found =
      call(cluster_.directory,
           Message<schema::Lookup>::make([this](auto root) { root.setName(coordinator_name()); }));
  if (!found) return found.error();
  coordinator_.address = found->read(
      [](schema::Found::Reader read) { return runtime::read_address(read.getAddress()); });
  return ok();
}

Result<Message<schema::Progress>> JobClient::progress() {
  if (!coordinator_)
    if (const Status found = find_coordinator(); !found) return found.error();
  // Each coordinator counts its own events.
  if (coordinator_.address != last_) next_event_ = 0;
  auto progress = call(coordinator_, Message<schema::GetProgress>::make(
                                         [this](auto root) { root.setEventsFrom(next_event_); }));
  if (!progress) {
    coordinator_ = {};
    return progress;
  }
  last_ = coordinator_.address;
  next_event_ = progress->read([](schema::Progress::Reader read) { return read.getNextEvent(); });
  return progress;
}

Result<RecordPiece> JobClient::record() {
  if (!coordinator_) return Error{Errc::not_found, "reading what job " + name_ + " did"};
  RecordPiece piece;
  if (coordinator_.address != recorded_) {
    piece.another = static_cast<bool>(recorded_);
    next_entry_ = 0;
  }
  auto record =
      call(coordinator_,
           Message<schema::GetRecord>::make([this](auto root) { root.setFrom(next_entry_); }));
  if (!record) return record.error();
  recorded_ = coordinator_.address;
  next_entry_ = record->read([](schema::Record::Reader read) { return read.getNext(); });
  piece.record = std::move(*record);
  return piece;
}

Status JobClient::abandoned() {
  const auto supervised = call(cluster_.supervisor, Message<schema::ListSupervised>::make());
  if (!supervised) return ok();
  return supervised->read([this](schema::SupervisedActors::Reader read) -> Status {
    for (const auto actor : read.getActors())
      if (actor.getName() == coordinator_name() && actor.getState() == "given up")
        return Error{Errc::internal, "the job's coordinator was given up after " +
                                         std::to_string(actor.getRestarts()) +
                                         " restarts: " + actor.getReason().cStr()};
    return ok();
  });
}

Status JobClient::stop() {
  if (!coordinator_)
    if (Status found = find_coordinator(); !found) return found;
  const auto stopping = call(coordinator_, Message<schema::StopJob>::make());
  if (!stopping) return stopping.error();
  return ok();
}

void JobClient::end() {
  // Released first, or the supervisor would start again what is meant to end.
  static_cast<void>(call(cluster_.supervisor, Message<schema::Release>::make([this](auto root) {
                           root.setName(coordinator_name());
                         })));
  if (!coordinator_ && !find_coordinator()) return;
  if (!call(coordinator_, Message<schema::EndJob>::make())) return;
  const Instant deadline = monotonic_now() + end_within;
  while (find_coordinator() && monotonic_now() < deadline) std::this_thread::sleep_for(pause);
}

}  // namespace slime::tools

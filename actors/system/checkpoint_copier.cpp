#include "actors/system/checkpoint_copier.hpp"

#include <memory>
#include <system_error>
#include <utility>

#include "storage/pruning.hpp"

namespace slime::actors {

namespace {

// Between two steps, so that who asks meanwhile is answered.
constexpr Duration step_pause = std::chrono::milliseconds(1);

storage::CheckpointId id_in(const runtime::Message<schema::CopyCheckpoint>& request) {
  return request.read([](schema::CopyCheckpoint::Reader read) {
    const auto checkpoint = read.getCheckpoint();
    return storage::CheckpointId{checkpoint.getTerm(), checkpoint.getIteration()};
  });
}

}  // namespace

CheckpointCopierActor::CheckpointCopierActor(runtime::Host& host,
                                             const Message<schema::CopierSpec>& spec)
    : Actor(host) {
  on(&CheckpointCopierActor::copy);
  spec.read([this](schema::CopierSpec::Reader read) {
    directory_ = read.getDirectory().cStr();
    copy_to_ = read.getCopyTo().cStr();
    node_ = read.getNode().cStr();
  });
}

void CheckpointCopierActor::copy(const Message<schema::CopyCheckpoint>& request, Reply reply) {
  if (round_ && id_in(round_->request) != id_in(request))
    return reply.fail(Error{Errc::overloaded, "copying " + to_string(id_in(request)) + ": " +
                                                  to_string(id_in(round_->request)) +
                                                  " is still being copied"});
  const bool begun = round_.has_value();
  if (!begun) round_.emplace(Round{request, {}, {}, {}});
  round_->replies.push_back(std::move(reply));
  if (begun) return;
  if (const Status status = begin(); !status) return fail(status.error());
  go_on();
}

Status CheckpointCopierActor::begin() {
  const storage::CheckpointId id = id_in(round_->request);
  const auto stores = std::make_shared<storage::OpenedStores>(directory_);
  const auto head = stores->of(node_);
  if (!head) return head.error();
  const auto manifest = (*head)->manifest(id);
  if (!manifest) return manifest.error();
  if (const Status there = check_place(); !there) return there;
  auto opened = storage::CheckpointStore::open(copy_to_ / node_, storage::OpenMode::create);
  if (!opened) return opened.error();
  round_->destination.emplace(std::move(*opened));
  if (const Status taken = take_over(id); !taken) return taken;
  auto copying = storage::CheckpointCopying::begin(stores, *manifest, *round_->destination,
                                                   storage::CopyOwner::its_run);
  if (!copying) return copying.error();
  round_->copying.emplace(std::move(*copying));
  return ok();
}

Status CheckpointCopierActor::check_place() const {
  std::error_code failure;
  const std::string attempted = "copying to checkpoint.copy_to, " + copy_to_.string() + ": ";
  // Made here, it would lie on the wrong disk.
  if (!std::filesystem::is_directory(copy_to_, failure))
    return Error{Errc::not_found, attempted +
                                      "there is no such folder; make it, or mount what "
                                      "belongs there"};
  if (copied_ && !std::filesystem::exists(copy_to_ / node_, failure))
    return Error{Errc::not_found, attempted + "the store " + node_ +
                                      ", which was there before, is gone; mount what belongs "
                                      "there, or resume the job to begin a new one"};
  return ok();
}

Status CheckpointCopierActor::take_over(storage::CheckpointId id) {
  storage::CheckpointStore& store = *round_->destination;
  const std::uint64_t term = round_->request.read([](auto read) { return read.getTerm(); });
  if (term < store.fenced_term())
    return Error{Errc::stale, "copying " + to_string(id) + " in the name of term " +
                                  std::to_string(term) + " to " + store.folder().string() +
                                  ": term " + std::to_string(store.fenced_term()) +
                                  " has taken it over"};
  if (const Status fenced = store.fence(term); !fenced) return fenced;
  // Copies that were never finished may be what fills the disk.
  auto kept = store.list();
  kept.push_back(id);
  return store.retain_only(kept);
}

void CheckpointCopierActor::go_on() {
  const auto done = round_->copying->step();
  if (!done) return fail(done.error());
  if (*done) return finish();
  after(step_pause, [this] { go_on(); });
}

void CheckpointCopierActor::finish() {
  const auto rules = round_->request.read([](schema::CopyCheckpoint::Reader read) {
    return storage::RetentionRules{
        .newest = read.getKeep(), .best = read.getKeepBest(), .every = read.getKeepEvery()};
  });
  const auto manifest = round_->destination->manifest(id_in(round_->request));
  if (!manifest) return fail(manifest.error());
  const auto kept = storage::prune_run(*round_->destination, rules, storage::run_of(*manifest));
  const auto answer = Message<schema::CheckpointCopied>::make([&](auto root) {
    root.setWrittenBytes(round_->copying->copied().written_bytes);
    root.setSharedBytes(round_->copying->copied().shared_bytes);
    if (kept) return;
    root.initPruning().setCode(static_cast<std::uint8_t>(kept.error().code));
    root.getPruning().setContext(kept.error().context);
  });
  copied_ = true;
  // Closed before anybody hears of it, and free for who prunes there.
  auto replies = std::move(round_->replies);
  round_.reset();
  for (Reply& reply : replies) reply.send(answer);
}

void CheckpointCopierActor::fail(const Error& error) {
  const Error why = explained(error);
  auto replies = std::move(round_->replies);
  round_.reset();
  for (Reply& reply : replies) reply.fail(why);
}

Error CheckpointCopierActor::explained(const Error& error) const {
  if (error.code != Errc::corruption && error.code != Errc::not_found) return error;
  const storage::CheckpointId id = id_in(round_->request);
  const auto head =
      storage::CheckpointStore::open(directory_ / node_, storage::OpenMode::read_only);
  if (!head) return error;
  const auto there = head->manifest(id);
  if (there || there.error().code != Errc::not_found) return error;
  return {Errc::not_found, "copying " + to_string(id) +
                               ": it was removed meanwhile; "
                               "checkpoint.keep says how many stay"};
}

}  // namespace slime::actors

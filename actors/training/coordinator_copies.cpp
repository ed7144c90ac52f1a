#include <algorithm>
#include <string>
#include <utility>

#include "actors/training/coordinator.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

// Of one copy; what takes longer than that counts as failed, and is gone on with by the next.
constexpr Duration copy_deadline = 24h;
constexpr Duration busy_pause = 1s;
constexpr Duration head_pause = 500ms;
constexpr Duration load_deadline = 120s;

}  // namespace

void CoordinatorActor::copy_newest() {
  if (second_place().empty() || copy_.running || !manifest_ || ended()) return;
  const auto newest = manifest_->read([](schema::CheckpointManifest::Reader read) {
    return CopyRound::Id(read.getTerm(), read.getIteration());
  });
  // What a branch began with may lie elsewhere, and is not the job's newest.
  if (branches_ || static_cast<std::int64_t>(newest.second) != last_checkpoint_) return;
  if (copy_.tried == newest) return;
  copy_.running = copy_.tried = newest;
  with_copier([this](Result<CheckpointCopier> copier) {
    copier ? ask_to_copy(*copier) : copy_over(copier.error());
  });
}

void CoordinatorActor::with_copier(std::function<void(Result<CheckpointCopier>)> done) {
  if (copy_.copier) return done(copy_.copier);
  const auto head = std::ranges::find(members_, self().node, &runtime::Candidate::node);
  if (head == members_.end())
    return (void)after(head_pause, [this, done = std::move(done)] { with_copier(done); });
  const auto spec = Message<schema::CopierSpec>::make([&](schema::CopierSpec::Builder root) {
    root.setDirectory(job().getCheckpoint().getDirectory());
    root.setCopyTo(job().getCheckpoint().getCopyTo());
    root.setNode(head->name);
  });
  spawn(*head, "checkpoint_copier", spec.any(),
        [this, name = head->name, done = std::move(done)](Result<ActorAddress> spawned) {
          if (!spawned) return done(spawned.error());
          copy_.copier = CheckpointCopier{*spawned};
          watch(copy_.copier);
          // A successor takes it over, so that there are never two.
          register_name(name_of("copier/" + name), copy_.copier.address,
                        [done, copier = copy_.copier] { done(copier); });
        });
}

void CoordinatorActor::ask_to_copy(CheckpointCopier copier) {
  const auto request = Message<schema::CopyCheckpoint>::make([this](auto root) {
    root.initCheckpoint().setTerm(copy_.running->first);
    root.getCheckpoint().setIteration(copy_.running->second);
    root.setTerm(term_);
    root.setKeep(job().getCheckpoint().getKeep());
    root.setKeepBest(job().getCheckpoint().getKeepBest());
    root.setKeepEvery(job().getCheckpoint().getKeepEvery());
  });
  ask(copier, request, copy_deadline,
      [this, copier](Result<Message<schema::CheckpointCopied>> copied) {
        // It is at what a coordinator asked for that died.
        if (!copied && copied.error().code == Errc::overloaded)
          return (void)after(busy_pause, [this, copier] { ask_to_copy(copier); });
        copy_over(copied);
      });
}

void CoordinatorActor::copy_over(const Result<Message<schema::CheckpointCopied>>& copied) {
  const std::uint64_t iteration = std::exchange(copy_.running, std::nullopt)->second;
  const std::string what = "the checkpoint of iteration " + std::to_string(iteration);
  if (copied) {
    history_.copied = static_cast<std::int64_t>(iteration);
    event(what + " was copied to " + second_place());
    copied->read([this](schema::CheckpointCopied::Reader read) {
      if (read.getPruning().getCode() != 0)
        event("old copies stay: " + std::string(read.getPruning().getContext().cStr()));
    });
  } else {
    if (copied.error().code == Errc::unavailable) copy_.copier = {};
    ++history_.copies_failed;
    event("warning: " + what + " could not be copied to " + second_place() +
          ", which is tried again with the next one: " + copied.error().context);
  }
  history_changed();
  // Of what was committed meanwhile, the newest.
  copy_newest();
  boundary_done();
}

bool CoordinatorActor::copy_awaited() {
  copy_newest();
  if (!copy_.running) return false;
  set_clock(false);
  event("waiting until the checkpoint of iteration " + std::to_string(copy_.running->second) +
        " is copied to " + second_place());
  return true;
}

void CoordinatorActor::fall_back(const Error& why, std::function<void(Status)> done) {
  const bool lost = why.code == Errc::not_found || why.code == Errc::corruption;
  if (second_place().empty() || !lost) return done(why);
  const auto request = Message<schema::LoadChosen>::make(
      [this](auto root) { root.initChoice().setDirectory(second_place()); });
  ask_chosen(request, load_deadline, [=, this](Result<Message<schema::ChosenLoaded>> loaded) {
    if (ended()) return;
    forget_checkpoint();
    if (!loaded)
      return done(Error{loaded.error().code == Errc::io_error ? Errc::io_error : why.code,
                        why.context + "; nor from a copy: " + loaded.error().context});
    loaded->read([this](auto read) { take_chosen(read, second_place()); });
    if (!resumes() && !has_own_checkpoint()) {
      forget_checkpoint();
      return done(why);
    }
    branches_ = fell_back_ = true;
    event(
        "warning: the checkpoints of checkpoint.directory are lost, and the newest copy, of "
        "iteration " +
        std::to_string(manifest_iteration()) + " in " + second_place() +
        ", is taken for them: " + why.context);
    done(ok());
  });
}

}  // namespace slime::actors

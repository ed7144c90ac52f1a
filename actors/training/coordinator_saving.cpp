#include <algorithm>
#include <cmath>
#include <utility>

#include "actors/training/coordinator.hpp"
#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

// Leases pause until the shards have copied themselves.
constexpr runtime::Retry copy_retry{100ms, 1s};
constexpr Duration filters_deadline = 1s;
constexpr Duration commit_pause = 1s;
constexpr Duration store_deadline = 120s;
constexpr int commit_attempts = 5;
constexpr Duration suspect_retry = 100ms;
constexpr Duration last_save_pause = 1s;

}  // namespace

bool CoordinatorActor::computes_interval() const {
  return job().getCheckpoint().getInterval() == schema::CheckpointInterval::COMPUTED;
}

void CoordinatorActor::schedule_timed_checkpoint() {
  const auto rules = job().getCheckpoint();
  const double seconds = computes_interval() ? history_.costs.interval_s(rules, run_seconds())
                                             : rules.getEverySeconds();
  if (seconds <= 0 || timed_checkpoint_) return;
  timed_checkpoint_ = after(from_seconds(seconds), [this] {
    timed_checkpoint_.reset();
    schedule_timed_checkpoint();
    save_soon();
  });
}

void CoordinatorActor::save_soon() {
  // The end is saved in any case.
  if (!running() || stop_wanted_ || ledger_->frontier() == ledger_->plan().iterations()) return;
  if (checkpoint_) return come_late();
  save_wanted_ = true;
  plan_boundary();
  frontier_moved();
}

void CoordinatorActor::come_late() {
  ++history_.checkpoints_late;
  if (std::exchange(save_late_, true)) return;
  event("the checkpoint of iteration " + std::to_string(checkpoint_->iteration) +
        " is still being written; the next one is due and follows at once");
}

void CoordinatorActor::start_checkpoint() {
  if (checkpoint_) return come_late();
  checkpoint_.emplace();
  checkpoint_->iteration = ledger_->frontier();
  checkpoint_->begun = now();
  if (history_.evaluated_at == static_cast<std::int64_t>(checkpoint_->iteration))
    checkpoint_->accuracy = history_.accuracy;
  const std::uint64_t attempt = checkpoint_->attempt = ++checkpoint_attempts_;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    checkpoint_->to_copy.insert(i);
    checkpoint_->to_save.insert(i);
  }
  for (std::size_t i = 0; i < shards_.size(); ++i) save_shard(i, attempt);
  if (monitor_)
    ask(monitor_, Message<schema::SaveFilters>::make(), filters_deadline,
        [this, attempt](Result<Message<schema::Filters>> filters) {
          if (filters && checkpoint_ && checkpoint_->attempt == attempt)
            checkpoint_->filters = *filters;
        });
}

void CoordinatorActor::save_shard(std::size_t shard, std::uint64_t attempt) {
  if (!checkpoint_ || checkpoint_->attempt != attempt) return;
  const NodeId id = shards_[shard].shard.address.node;
  const auto node = std::ranges::find(members_, id, &runtime::Candidate::node);
  // It is suspect and may be heard again; or it is gone, and then its shards' deaths are on their
  // way and roll the job back.
  if (node == members_.end())
    return (void)after(suspect_retry, [=, this] { save_shard(shard, attempt); });
  with_store(*node, [=, this](Checkpointer store) {
    if (checkpoint_ && checkpoint_->attempt == attempt) ask_to_save(shard, store);
  });
}

void CoordinatorActor::ask_to_save(std::size_t shard, Checkpointer store) {
  if (!store) return drop_checkpoint("shard " + std::to_string(shard) + " has no checkpointer");
  const std::uint64_t attempt = checkpoint_->attempt;
  const auto request = Message<schema::Save>::make([&](schema::Save::Builder root) {
    root.setTerm(term_);
    root.setCheckpoint(checkpoint_->iteration);
    root.setVersion(checkpoint_->iteration);
    root.setAttempt(attempt);
    runtime::write_address(root.initCheckpointer(), store.address);
  });
  ask_until_answered(shards_[shard].shard, request, copy_retry,
                     [this, shard, attempt](Result<Message<schema::Copied>> copied) {
                       if (!checkpoint_ || checkpoint_->attempt != attempt) return;
                       if (!copied) return drop_checkpoint(copied.error().context);
                       checkpoint_->to_copy.erase(shard);
                       if (checkpoint_->to_copy.empty()) checkpoint_copied();
                       boundary_done();
                     });
}

void CoordinatorActor::checkpoint_copied() {
  // Nobody waits for it at the end, nor where workers evaluate meanwhile.
  const bool evaluates =
      evaluation_ || history_.evaluated_at == static_cast<std::int64_t>(checkpoint_->iteration);
  if (evaluates || stop_wanted_ || checkpoint_->iteration == ledger_->plan().iterations()) return;
  double lost_s = 0;
  std::size_t working = 0;
  for (const WorkerSlot& slot : workers_) {
    if (slot.state != WorkerSlot::State::working) continue;
    ++working;
    if (slot.waiting && slot.paused_since) lost_s += to_seconds(now() - *slot.paused_since);
  }
  if (working == 0) return;
  history_.costs.copied(lost_s / static_cast<double>(working));
  if (!computes_interval() || !timed_checkpoint_) return;
  // The interval begins now.
  cancel(*std::exchange(timed_checkpoint_, std::nullopt));
  schedule_timed_checkpoint();
}

void CoordinatorActor::part_saved(const Message<schema::PartSaved>& request,
                                  Reply<schema::PartSavedTaken> reply) {
  request.read([&](schema::PartSaved::Reader read) {
    reply.send(Message<schema::PartSavedTaken>::make());
    // What became of an earlier attempt is nothing to the present one.
    if (read.getTerm() != term_ || !checkpoint_ || checkpoint_->attempt != read.getAttempt() ||
        read.getShard() >= shards_.size())
      return;
    if (read.getFailure().getCode() != 0)
      return drop_checkpoint(read.getFailure().getContext().cStr());
    checkpoint_->parts[read.getShard()] = request;
    checkpoint_->to_save.erase(read.getShard());
    commit_when_whole();
  });
}

void CoordinatorActor::commit_when_whole() {
  const bool measuring = evaluation_ && evaluation_->version() == checkpoint_->iteration;
  if (checkpoint_->to_save.empty() && !checkpoint_->committing && !measuring) commit_checkpoint();
}

void CoordinatorActor::commit_checkpoint() {
  checkpoint_->committing = true;
  send_manifest(write_manifest(), commit_attempts);
}

void CoordinatorActor::send_manifest(const Message<schema::CheckpointManifest>& manifest,
                                     int attempts) {
  const std::uint64_t attempt = checkpoint_->attempt;
  const auto is_current = [this, attempt] {
    return checkpoint_ && checkpoint_->attempt == attempt;
  };
  const auto request = Message<schema::CommitCheckpoint>::make([&](auto root) {
    manifest.read([&](schema::CheckpointManifest::Reader read) { root.setManifest(read); });
    root.setKeep(job().getCheckpoint().getKeep());
    root.setKeepBest(job().getCheckpoint().getKeepBest());
    root.setKeepEvery(job().getCheckpoint().getKeepEvery());
  });
  with_head_store([=, this](Checkpointer store) {
    ask(store, request, store_deadline,
        [=, this](Result<Message<schema::CheckpointCommitted>> committed) {
          if (!is_current()) return;
          // The answer may be lost and the manifest committed: of one iteration only the same one
          // is taken again.
          const bool unknown = !committed && (committed.error().code == Errc::unavailable ||
                                              committed.error().code == Errc::timeout);
          if (unknown && attempts > 1)
            return (void)after(commit_pause, [=, this] {
              if (is_current()) send_manifest(manifest, attempts - 1);
            });
          // One of this term and iteration is this run's: an earlier attempt's, if not this one.
          if (!committed && committed.error().code == Errc::already_exists)
            return take_committed(attempt);
          if (!committed) return drop_checkpoint(committed.error().context);
          manifest_ = manifest;
          checkpoint_committed();
          prune_other_stores(*committed);
          checkpoint_over();
        });
  });
}

void CoordinatorActor::take_committed(std::uint64_t attempt) {
  load_newest(
      false,
      [this, attempt](Result<Message<schema::CheckpointManifest>> newest) {
        if (!checkpoint_ || checkpoint_->attempt != attempt) return;
        if (!newest) return drop_checkpoint(newest.error().context);
        const std::uint64_t run = spec_.read([](auto read) { return read.getRun(); });
        if (!newest->read([&](schema::CheckpointManifest::Reader read) {
              return run != 0 && read.getRun() == run && read.getTerm() == term_ &&
                     read.getIteration() == checkpoint_->iteration;
            }))
          return drop_checkpoint("the store has another one of it");
        manifest_ = *newest;
        checkpoint_committed();
        checkpoint_over();
      },
      commit_attempts);
}

void CoordinatorActor::checkpoint_committed() {
  last_checkpoint_ = static_cast<std::int64_t>(checkpoint_->iteration);
  // An evaluation is waited for.
  if (std::isnan(checkpoint_->accuracy))
    history_.costs.committed(to_seconds(now() - checkpoint_->begun));
  restore_from_.clear();
  branches_ = fell_back_ = false;
  checkpoint_.reset();
  restore_advice();
  note_checkpoint();
  event("checkpoint of iteration " + std::to_string(last_checkpoint_) + " committed");
  copy_newest();
}

void CoordinatorActor::checkpoint_over() {
  boundary_done();
  if (std::exchange(save_late_, false)) save_soon();
}

void CoordinatorActor::drop_checkpoint(const std::string& why) {
  if (!checkpoint_) return;
  if (!why.empty()) {
    event("the checkpoint of iteration " + std::to_string(checkpoint_->iteration) +
          " failed: " + why);
    save_failure_ = why;
  }
  checkpoint_.reset();
  checkpoint_over();
}

void CoordinatorActor::prune_other_stores(const Message<schema::CheckpointCommitted>& committed) {
  const auto request = Message<schema::DropOld>::make([&](auto root) {
    committed.read([&](schema::CheckpointCommitted::Reader read) {
      if (read.getPruning().getCode() != 0)
        event(std::string("old checkpoints stay: ") + read.getPruning().getContext().cStr());
      root.setKeep(read.getKept());
      root.setTerm(term_);
    });
  });
  for (const StoreSlot& store : stores_) (void)tell(store.checkpointer, request);
}

void CoordinatorActor::save_last() {
  if (last_save_timer_) return;
  // Never at once: it may be called in the midst of dropping the attempt before.
  const Duration pause = last_saves_tried_++ == 0 ? Duration::zero() : last_save_pause;
  last_save_timer_ = after(pause, [this] {
    last_save_timer_.reset();
    if (running() && at_boundary_ && !checkpoint_) start_checkpoint();
  });
}

void CoordinatorActor::fail_unsaved() {
  const std::string accuracy = std::isnan(history_.accuracy)
                                   ? ""
                                   : " (test accuracy " + std::to_string(history_.accuracy) + ")";
  fail(Error{Errc::io_error,
             "it was trained to the end" + accuracy +
                 ", but the result could not be saved: " + save_failure_ + "; " +
                 (last_checkpoint_ < 0 ? "there is no checkpoint"
                                       : "--resume goes on from the checkpoint of iteration " +
                                             std::to_string(last_checkpoint_))});
}

}  // namespace slime::actors

#include <algorithm>
#include <cmath>
#include <utility>

#include "actors/training/coordinator.hpp"
#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr Duration retry = 1s;
constexpr Duration store_deadline = 120s;
constexpr int commit_attempts = 5;
constexpr Duration last_save_pause = 1s;

}  // namespace

void CoordinatorActor::start_checkpoint() {
  if (checkpoint_) {
    event("the checkpoint of iteration " + std::to_string(checkpoint_->iteration) +
          " is still being written; skipping that of " + std::to_string(ledger_->frontier()));
    return;
  }
  checkpoint_.emplace();
  checkpoint_->iteration = ledger_->frontier();
  if (history_.evaluated_at == static_cast<std::int64_t>(checkpoint_->iteration))
    checkpoint_->accuracy = history_.accuracy;
  const std::uint64_t attempt = checkpoint_->attempt = ++checkpoint_attempts_;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    checkpoint_->to_copy.insert(i);
    checkpoint_->to_save.insert(i);
  }
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const NodeId id = shards_[i].shard.address.node;
    const auto node = std::ranges::find(members_, id, &runtime::Candidate::node);
    // Of a node that is gone, the shards' deaths are on their way and roll the job back.
    if (node == members_.end()) continue;
    with_store(*node, [this, i, attempt](Checkpointer store) {
      if (checkpoint_ && checkpoint_->attempt == attempt) ask_to_save(i, store);
    });
  }
  if (monitor_)
    ask(monitor_, Message<schema::SaveFilters>::make(), retry,
        [this, attempt](Result<Message<schema::Filters>> filters) {
          if (filters && checkpoint_ && checkpoint_->attempt == attempt)
            checkpoint_->filters = *filters;
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
  ask_until_answered(shards_[shard].shard, request, retry,
                     [this, shard, attempt](Result<Message<schema::Copied>> copied) {
                       if (!checkpoint_ || checkpoint_->attempt != attempt) return;
                       if (!copied) return drop_checkpoint(copied.error().context);
                       checkpoint_->to_copy.erase(shard);
                       boundary_done();
                     });
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
            return (void)after(retry, [=, this] {
              if (is_current()) send_manifest(manifest, attempts - 1);
            });
          // One of this term and iteration is this run's: an earlier attempt's, if not this one.
          if (!committed && committed.error().code == Errc::already_exists)
            return take_committed(attempt);
          if (!committed) return drop_checkpoint(committed.error().context);
          manifest_ = manifest;
          checkpoint_committed();
          prune_other_stores(*committed);
          boundary_done();
        });
  });
}

void CoordinatorActor::take_committed(std::uint64_t attempt) {
  load_newest(
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
        boundary_done();
      },
      commit_attempts);
}

void CoordinatorActor::checkpoint_committed() {
  last_checkpoint_ = static_cast<std::int64_t>(checkpoint_->iteration);
  restore_from_.clear();
  branches_ = false;
  checkpoint_.reset();
  restore_advice();
  note_checkpoint();
  event("checkpoint of iteration " + std::to_string(last_checkpoint_) + " committed");
}

void CoordinatorActor::drop_checkpoint(const std::string& why) {
  if (!checkpoint_) return;
  if (!why.empty()) {
    event("the checkpoint of iteration " + std::to_string(checkpoint_->iteration) +
          " failed: " + why);
    save_failure_ = why;
  }
  checkpoint_.reset();
  boundary_done();
}

void CoordinatorActor::prune_other_stores(const Message<schema::CheckpointCommitted>& committed) {
  const auto request = Message<schema::DropOld>::make([&](auto root) {
    committed.read([&](schema::CheckpointCommitted::Reader read) {
      if (read.getPruning().getCode() != 0)
        event(std::string("old checkpoints stay: ") + read.getPruning().getContext().cStr());
      root.setKeep(read.getKept());
    });
  });
  for (const Store& store : stores_) (void)tell(store.checkpointer, request);
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

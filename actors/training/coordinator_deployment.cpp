#include <algorithm>
#include <utility>

#include "actors/training/coordinator.hpp"
#include "actors/training/job_parts.hpp"
#include "runtime/link/link_settings.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr Duration retry = 1s;
// Loading parameters takes a while; asked again until it is done.
constexpr Duration prepare_retry = 5s;
constexpr Duration placement_retry = 500ms;
constexpr Duration open_retry = 5s;
// How long a store may still be held by a checkpointer that is ending.
constexpr Duration lock_patience = 10s;
// What kills a checkpointer or a shard so often, such as a store that cannot be read or a model
// larger than the memory, will kill the next.
constexpr int starts_lost_max = 10;
// Of a message beside the numbers in it, such as the list of a group's blocks.
constexpr std::size_t message_overhead = std::size_t{1} << 20;

}  // namespace

void CoordinatorActor::with_store(const runtime::Candidate& node,
                                  std::function<void(Checkpointer)> done) {
  if (job().getCheckpoint().getDirectory().size() == 0) return done({});
  const auto known = std::ranges::find(stores_, node.name, &StoreSlot::node);
  if (known != stores_.end() && known->open) return done(known->checkpointer);
  // A store has one writer: whoever asks while it is being opened gets the same one.
  auto& waiting = opening_stores_[node.node];
  waiting.push_back(std::move(done));
  if (waiting.size() == 1) open_store(node);
}

void CoordinatorActor::open_store(const runtime::Candidate& node) {
  const auto adopted = std::ranges::find(stores_, node.name, &StoreSlot::node);
  if (adopted != stores_.end())
    return lock_store(node, adopted->checkpointer, now() + lock_patience);
  const auto spec = Message<schema::CheckpointerSpec>::make([&](auto root) {
    root.setDirectory(job().getCheckpoint().getDirectory());
    root.setNode(node.name);
  });
  spawn(node, "checkpointer", spec.any(), [this, node](Result<ActorAddress> spawned) {
    if (!spawned) {
      event("the checkpointer of " + node.name +
            " could not be started: " + spawned.error().context);
      // Whatever is then started beside it fails as well, and is placed elsewhere.
      if (std::ranges::find(members_, node.node, &runtime::Candidate::node) == members_.end())
        return store_ready(node.node, {});
      after(placement_retry, [this, node] { open_store(node); });
      return;
    }
    const Checkpointer checkpointer{*spawned};
    watch(checkpointer);
    stores_.push_back({node.name, checkpointer});
    // A successor must find whoever holds a store, so it is named before it does.
    register_name(
        name_of("checkpointer/" + node.name), checkpointer.address,
        [this, node, checkpointer] { lock_store(node, checkpointer, now() + lock_patience); });
  });
}

void CoordinatorActor::lock_store(const runtime::Candidate& node, Checkpointer checkpointer,
                                  Instant patience) {
  const auto request = Message<schema::OpenStore>::make([this](auto root) { root.setTerm(term_); });
  ask(checkpointer, request, open_retry, [=, this](Result<Message<schema::StoreOpened>> opened) {
    const auto store = std::ranges::find(stores_, checkpointer, &StoreSlot::checkpointer);
    if (opened && store != stores_.end()) {
      store->open = true;
      opened->read([&](schema::StoreOpened::Reader read) {
        if (read.getRepaired().size() > 0)
          event("the store of " + node.name + " was repaired: " + read.getRepaired().cStr());
      });
      return store_ready(node.node, checkpointer);
    }
    // What was opened by one that has died since is not held any more.
    const Error why = opened ? Error{Errc::unavailable, "it died"} : opened.error();
    const auto again = [=, this] { lock_store(node, checkpointer, patience); };
    if (why.code == Errc::timeout) return again();
    if (why.code == Errc::unavailable) {
      after(placement_retry, [this, node] { open_store(node); });
    } else if (why.code == Errc::already_exists && now() < patience) {
      // The checkpointer before it may not have let go of the store yet.
      after(placement_retry, again);
    } else if (running()) {
      event("the store of " + node.name + " could not be opened: " + why.context);
      store_ready(node.node, {});
    } else {
      fail(Error{why.code, "the store of " + node.name + ": " + why.context});
    }
  });
}

void CoordinatorActor::store_ready(NodeId node, Checkpointer checkpointer) {
  for (const auto& done : std::exchange(opening_stores_[node], {})) done(checkpointer);
}

void CoordinatorActor::store_died(const StoreSlot& store, const std::string& why) {
  const std::string text = "the checkpointer of " + store.node + " died: " + why;
  const bool was_open = store.open;
  // Started anew when it is next wanted.
  stores_.erase(stores_.begin() + (&store - stores_.data()));
  event(text);
  if (state_ == schema::JobState::STARTING && was_open) start_lost(text);
}

void CoordinatorActor::shard_died(std::size_t index, const std::string& why) {
  // While shards are being adopted, what follows depends on the terms of the others.
  if (adopting_ && promoted_.empty() && adopted_.empty()) {
    lost_while_adopting_ = true;
    return;
  }
  ++shards_lost_on_[shards_[index].shard.address.node];
  const std::string text = "shard " + std::to_string(index) + " died: " + why;
  if (promote(index, text)) return;
  if (state_ == schema::JobState::STARTING && !adopting_) return start_lost(text);
  roll_back(text);
}

void CoordinatorActor::shard_not_started(std::size_t index, NodeId node, const Error& why) {
  ++shards_lost_on_[node];
  const std::string text =
      "shard " + std::to_string(index) + " could not be started: " + why.context;
  // Of a node that cannot be reached, the death is on its way.
  if (why.code == Errc::unavailable || why.code == Errc::timeout) return roll_back(text);
  start_lost(text);
}

void CoordinatorActor::start_lost(const std::string& why) {
  // Many that die together are one loss.
  if (deployment_ == 0 || lost_deployment_ != deployment_) ++starts_lost_;
  lost_deployment_ = deployment_;
  if (starts_lost_ >= starts_lost_max)
    return fail(Error{Errc::internal,
                      why + "; so did those before it while the job was starting: check that the "
                            "model fits into the memory of the nodes with role \"shard\", and "
                            "their logs"});
  // Shards that load their parameters wait for a store that is gone.
  if (!shards_.empty() && !adopting_) roll_back(why);
}

void CoordinatorActor::with_head_store(std::function<void(Checkpointer)> done) {
  const auto head = std::ranges::find(members_, self().node, &runtime::Candidate::node);
  if (head != members_.end()) return with_store(*head, std::move(done));
  after(placement_retry, [this, done = std::move(done)] { with_head_store(done); });
}

void CoordinatorActor::deploy() {
  if (start_timer_) cancel(*std::exchange(start_timer_, std::nullopt));
  const std::uint64_t deployment = ++deployment_;
  if (ended()) return;
  if (!description_) {
    // Taken over from a coordinator that died, before any worker said what it is about.
    after(placement_retry, [this, deployment] {
      if (deployment == deployment_) deploy();
    });
    return;
  }
  if (const Status fits = check_shard_size(); !fits) return fail(fits.error());
  // Workers of a coordinator that died with all its shards may have seen a later term.
  term_ = std::max(term_, obeyed_term_ + 1);
  const auto ranges = trainer::cut_into_shards(parameters_, job().getShards());
  shards_.assign(ranges.size(), ShardSlot{});
  std::map<NodeId, std::size_t> load;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    shards_[i].range = ranges[i];
    const auto node = place("shard", [&](NodeId id) { return load[id] + shards_lost_on_[id]; });
    if (!node) {
      if (!std::exchange(short_of_nodes_, true))
        event("no node with role \"shard\" is there for shard " + std::to_string(i) + "; waiting");
      after(placement_retry, [this, deployment] {
        if (deployment == deployment_) deploy();
      });
      return;
    }
    if (std::exchange(short_of_nodes_, false))
      event("there is a node with role \"shard\" again: " + node->name);
    ++load[node->node];
    with_store(*node, [this, i, node = *node, deployment](Checkpointer store) {
      if (deployment == deployment_) deploy_shard(i, node, store);
    });
  }
}

Status CoordinatorActor::check_shard_size() const {
  // A pull and a push move a shard's range as one message; fixed-point sums are the longest.
  const std::size_t bytes = reproducible(job()) ? sizeof(std::int64_t) : sizeof(float);
  const std::size_t most = (runtime::LinkSettings().message_bytes_max - message_overhead) / bytes;
  const std::size_t largest = trainer::largest_range(parameters_, job().getShards());
  if (largest <= most) return ok();
  return Error{Errc::invalid_argument,
               "starting the shards: with shards = " + std::to_string(job().getShards()) +
                   " one would hold " + std::to_string(largest) + " of the model's " +
                   std::to_string(parameters_) +
                   " parameters, and a message between nodes carries " + std::to_string(most) +
                   "; set shards to at least " +
                   std::to_string(trainer::shards_needed(parameters_, most))};
}

void CoordinatorActor::write_shard(schema::ShardSpec::Builder root, std::size_t index) const {
  root.setJob(job());
  root.setShard(static_cast<std::uint32_t>(index));
  root.setTerm(term_);
  root.setRunTerm(run_term_);
  root.setInputs(description_->inputs);
  root.setSamples(description_->samples);
  root.setFirst(shards_[index].range.first);
  root.setCount(shards_[index].range.count);
}

void CoordinatorActor::deploy_shard(std::size_t index, const runtime::Candidate& node,
                                    Checkpointer store) {
  const auto spec = Message<schema::ShardSpec>::make([&](schema::ShardSpec::Builder root) {
    write_shard(root, index);
    runtime::write_address(root.initCheckpointer(), store.address);
    if (!manifest_) return;
    manifest_->read([&](schema::CheckpointManifest::Reader manifest) {
      root.setVersion(manifest.getIteration());
      root.setRestore(manifest);
      root.setRestoreFrom(restore_from_);
    });
  });
  const std::uint64_t deployment = deployment_;
  spawn(node, "parameter_shard", spec.any(),
        [this, index, node = node.node, deployment](Result<ActorAddress> spawned) {
          if (deployment != deployment_) {
            if (spawned) dismiss(*spawned, "its job was rolled back while it was started");
            return;
          }
          const std::string name = "shard/" + std::to_string(index);
          if (!spawned) return shard_not_started(index, node, spawned.error());
          const ParameterShard shard{*spawned};
          shards_[index].shard = shard;
          watch(shard);
          register_name(name_of(name), shard.address);
          history_changed();
          ask_until_answered(shard, Message<schema::Prepare>::make(), prepare_retry,
                             [this, index, deployment](Result<Message<schema::Prepared>> prepared) {
                               if (deployment != deployment_) return;
                               shard_prepared(index, prepared ? nullptr : &prepared.error());
                             });
        });
}

void CoordinatorActor::shard_prepared(std::size_t index, const Error* failure) {
  if (failure)
    return fail(Error{failure->code, "shard " + std::to_string(index) + ": " + failure->context});
  shards_[index].prepared = true;
  shards_lost_on_.erase(shards_[index].shard.address.node);
  if (std::ranges::all_of(shards_, &ShardSlot::prepared))
    begin_term(manifest_ ? manifest_iteration() : 0);
}

void CoordinatorActor::begin_term(std::uint64_t start) {
  open_ledger(start);
  start_training(start);
}

void CoordinatorActor::open_ledger(std::uint64_t start) {
  if (ledger_)
    for (const auto& [worker, samples] : ledger_->samples_done())
      history_.workers[static_cast<std::uint32_t>(worker)].samples += samples;
  if (!history_.first_iteration) history_.first_iteration = start;
  ledger_.emplace(work_plan(job(), description_->samples), start, mode_->committed(),
                  (term_ << 32) + 1, ledger_rules());
  last_commit_.clear();
  ledger_->set_shares(next_shares_);
}

void CoordinatorActor::start_training(std::uint64_t start, bool begun) {
  // Failed or stopped while its shards were on their way.
  if (ended()) return;
  // It would refuse to begin, and its part of every iteration would be nobody's.
  if (obeyed_term_ >= term_) return roll_back("a worker obeys a later term");
  state_ = schema::JobState::TRAINING;
  starts_lost_ = 0;
  evaluation_.reset();
  at_boundary_ = false;
  set_clock(true);
  event("training from iteration " + std::to_string(start) + " of " +
        std::to_string(ledger_->plan().iterations()) + ", term " + std::to_string(term_));
  std::string reason;
  for (const auto& [shard, why] : std::exchange(promoted_, {})) {
    ++takeovers_;
    reason += (reason.empty() ? "" : "; ") + why;
    event(why + "; its standby took over at iteration " + std::to_string(start) + ", nothing lost");
  }
  note_start(start, reason);
  hire_advisers();
  plan_from(start, begun);
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker)
    if (workers_[worker].state == WorkerSlot::State::described) begin(worker);
  schedule_timed_checkpoint();
  tell_history();
  frontier_moved();
  spread_out();
  place_standbys();
}

void CoordinatorActor::roll_back(const std::string& why) {
  if (ended()) return;
  // Parameters from the seed would be another job's beginning.
  if (!manifest_ && (history_.resumed_from >= 0 || branches_))
    return fail(Error{Errc::corruption,
                      why + "; there is no whole checkpoint to roll back to" +
                          (history_.resumed_from < 0
                               ? ", for those of this run cannot be read"
                               : ", neither of this run nor the one that it was resumed from, of "
                                 "iteration " +
                                     std::to_string(history_.resumed_from))});
  ++term_;
  if (running() || adopting_) {
    const std::uint64_t back_to = manifest_ ? manifest_iteration() : 0;
    const std::uint64_t reached = std::max(running() ? ledger_->frontier() : reached_, back_to);
    history_.rolled_back(reached, back_to);
    note_rollback(reached, back_to, why);
    event(why + "; rolling back from iteration " + std::to_string(reached) + " to " +
          (manifest_ ? "the checkpoint of iteration " + std::to_string(back_to)
                     : "the start, for there is no checkpoint yet") +
          ", " + std::to_string(reached - back_to) + " iterations are done again");
  } else {
    event(why + "; deploying the shards again");
  }
  suspend();
  adopting_ = false;
  adopted_.clear();
  promoted_.clear();
  for (const ShardSlot& slot : shards_) {
    dismiss(slot.standby.standby.address, "its job was rolled back");
    if (!slot.shard) continue;
    cancel_asks_to(slot.shard.address);
    dismiss(slot.shard.address, "its job was rolled back");
  }
  shards_.clear();
  const std::uint64_t deployment = ++deployment_;
  after(placement_retry, [this, deployment] {
    if (deployment == deployment_) deploy();
  });
}

void CoordinatorActor::suspend() {
  state_ = schema::JobState::STARTING;
  drop_checkpoint("");
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    WorkerSlot& slot = workers_[worker];
    if (slot.state != WorkerSlot::State::working) continue;
    cancel_asks_to(slot.worker.address);
    history_.workers[worker].pause(run_seconds());
    slot.state = WorkerSlot::State::described;
    slot.begin_anew();
  }
}

}  // namespace slime::actors

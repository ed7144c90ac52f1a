#include <algorithm>
#include <limits>
#include <set>

#include "actors/training/coordinator.hpp"
#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"
#include "runtime/wire/lists.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr Duration adopt_deadline = 1s;
constexpr int adopt_attempts = 10;
constexpr Duration load_retry = 500ms;

}  // namespace

void CoordinatorActor::look_around(const Message<schema::Names>& names) {
  std::map<std::uint64_t, ParameterShard> shards;
  std::set<ActorAddress> standbys;
  std::size_t left_by_others = 0;
  names.read([&](schema::Names::Reader read) {
    for (const auto binding : read.getNames()) {
      const auto name = names_.parts_of(binding.getName().cStr());
      if (!name) continue;
      const ActorAddress address = runtime::read_address(binding.getAddress());
      if (!name->own) {
        ++left_by_others;
        dismiss(address, "it was left by an earlier run of its job");
      } else if (name->kind == "shard") {
        shards[std::stoull(name->which)] = ParameterShard{address};
      } else if (name->kind == "standby") {
        standbys.insert(address);
      } else if (name->kind == "checkpointer") {
        stores_.push_back({name->which, Checkpointer{address}});
        watch(stores_.back().checkpointer);
      } else if (name->kind == "copier") {
        copy_.copier = CheckpointCopier{address};
        watch(copy_.copier);
      } else if (name->kind == "worker" && std::stoull(name->which) < workers_.size()) {
        take_on(static_cast<std::uint32_t>(std::stoull(name->which)), Worker{address});
      } else {
        dismiss(address, "its coordinator died");
      }
    }
  });
  if (left_by_others > 0)
    event("ending " + std::to_string(left_by_others) +
          " actors that an earlier run of the job has left");
  // Which of them have everything, only the dead one knew. One that took a shard's place is that
  // shard.
  for (const auto& [index, shard] : shards) standbys.erase(shard.address);
  for (const ActorAddress& standby : standbys) dismiss(standby, "its coordinator died");
  looked_around_ = true;
  if (shards.empty()) {
    if (!stop_wanted_) return start_anew();
    state_ = schema::JobState::STOPPED;
    return;
  }
  adopting_ = true;
  event("taking over from a coordinator that died");
  std::vector<ParameterShard> found;
  for (const auto& [index, shard] : shards) found.push_back(shard);
  take_over(std::move(found));
}

void CoordinatorActor::take_on(std::uint32_t worker, const Worker& ref) {
  WorkerSlot& slot = workers_[worker];
  slot.worker = ref;
  slot.node = ref.address.node;
  slot.state = WorkerSlot::State::spawning;
  watch(ref);
  ask_description(worker, ref);
}

void CoordinatorActor::start_anew() {
  read_newest([this](Status status) {
    if (chooses() && !has_own_checkpoint())
      return read_chosen([this](Status chosen) {
        if (!chosen) return fail(chosen.error());
        begin_run();
      });
    if (status) return begin_run();
    fall_back(status.error(), [this](Status copied) {
      // Without the terms that were given so far it cannot begin above them.
      const bool unread = !copied && copied.error().code == Errc::io_error;
      if (!copied && (resumes() || unread)) return fail(copied.error());
      if (!copied && copied.error().code != Errc::not_found) event(copied.error().context);
      begin_run();
    });
  });
}

void CoordinatorActor::begin_run() {
  // Terms count on from whatever is in the stores, since they name checkpoints there.
  term_ = run_term_ = latest_term_ + 1;
  if (manifest_)
    if (const Status taken = start_from_newest(); !taken) return fail(taken.error());
  recruit();
  start_when_ready();
}

Status CoordinatorActor::start_from_newest() {
  if (has_own_checkpoint()) {
    // The coordinator before this one died, and so did the shards.
    run_term_ = manifest_run();
    if (!branches_) last_checkpoint_ = static_cast<std::int64_t>(manifest_iteration());
    take_up_newest({});
    history_.rolled_back(manifest_iteration(), manifest_iteration());
    event("all shards are gone; going on from the run's checkpoint of iteration " +
          std::to_string(manifest_iteration()));
    return ok();
  }
  if (resumes()) return manifest_->read([this](auto read) { return resume_from(read); });
  event("the checkpoints of an earlier run stay in checkpoint.directory, the newest of iteration " +
        std::to_string(manifest_iteration()) + "; this run starts anew beside them");
  forget_checkpoint();
  return ok();
}

bool CoordinatorActor::has_own_checkpoint() const {
  const std::uint64_t run = spec_.read([](auto read) { return read.getRun(); });
  return run != 0 && manifest_ && manifest_->read([](auto read) { return read.getRun(); }) == run;
}

Status CoordinatorActor::resume_from(schema::CheckpointManifest::Reader manifest) {
  if (Status fits = check_resumable(manifest); !fits) return fits;
  // What follows another one than the newest is no part of the run that goes on from there, nor
  // what follows a copy that somebody has made to keep.
  const bool another = (branches_ && !fell_back_) || manifest.getRunTerm() == 0;
  if (!another) run_term_ = manifest.getRunTerm();
  history_.resumed_from = static_cast<std::int64_t>(manifest.getIteration());
  history_.resumed_term = manifest.getTerm();
  history_.accuracy = manifest.getAccuracy();
  if (manifest.hasHistory()) {
    // Neither what was asked to stop nor what was done failed; what is left for another beginning
    // may have been.
    const bool ended = another || manifest.getHistory().getStopWanted() ||
                       manifest.getEpoch() >= manifest.getJob().getEpochs();
    history_.costs.resume(manifest.getHistory(), !ended);
  }
  if (!branches_) last_checkpoint_ = history_.resumed_from;
  event("resuming from the checkpoint of iteration " + std::to_string(history_.resumed_from) +
        (restore_from_.empty() ? "" : " in " + restore_from_));
  return ok();
}

void CoordinatorActor::forget_checkpoint() {
  // Its advice goes with it: what another run learnt is nothing to this one.
  manifest_.reset();
  restore_from_.clear();
  next_shares_.clear();
  saved_filters_ = {};
}

void CoordinatorActor::read_newest(std::function<void(Status)> done) {
  load_newest(
      true,
      [this, done = std::move(done)](Result<Message<schema::CheckpointManifest>> newest) {
        if (!newest) return done(newest.error());
        manifest_ = *newest;
        restore_advice();
        done(ok());
      },
      std::numeric_limits<int>::max());
}

void CoordinatorActor::load_newest(
    bool takes_over, std::function<void(Result<Message<schema::CheckpointManifest>>)> done,
    int attempts, Duration deadline) {
  if (ended()) return;
  if (job().getCheckpoint().getDirectory().size() == 0) {
    done(Error{Errc::not_found,
               "reading the newest checkpoint: the job names no checkpoint.directory"});
    return;
  }
  const auto request = Message<schema::LoadNewest>::make([&](schema::LoadNewest::Builder root) {
    root.setTakeOver(takes_over);
    root.setReached(term_);
    root.setCopyTo(second_place());
  });
  with_head_store([=, this, done = std::move(done)](Checkpointer store) {
    ask(store, request, deadline, [=, this](Result<Message<schema::NewestLoaded>> loaded) {
      const auto newest = loaded ? loaded->read([this](auto read) { return newest_of(read); })
                                 : Result<Message<schema::CheckpointManifest>>(loaded.error());
      // Lost, or too large to be read in time; or the checkpointer died, and gets a successor.
      const bool late = !loaded && loaded.error().code == Errc::timeout;
      const bool again = late || (!loaded && loaded.error().code == Errc::unavailable) ||
                         may_be_read_later(newest ? Errc{} : newest.error().code);
      if (!again || attempts <= 1) return done(newest);
      after(load_retry, [=, this] {
        load_newest(takes_over, done, attempts - 1, late ? 2 * deadline : deadline);
      });
    });
  });
}

Result<runtime::Message<schema::CheckpointManifest>> CoordinatorActor::newest_of(
    schema::NewestLoaded::Reader loaded) {
  latest_term_ = loaded.getLatestTerm();
  if (loaded.getFailure().getCode() != 0)
    return Error{static_cast<Errc>(loaded.getFailure().getCode()),
                 loaded.getFailure().getContext().cStr()};
  for (const auto skipped : loaded.getSkipped())
    event(std::string("skipped a checkpoint that is not whole: ") + skipped.cStr());
  return Message<schema::CheckpointManifest>::copy(loaded.getManifest());
}

Status CoordinatorActor::check_resumable(schema::CheckpointManifest::Reader manifest) const {
  const auto then = manifest.getJob();
  const auto differs = [](const std::string& what) {
    return Error{Errc::invalid_argument,
                 "resuming: the checkpoint was made with another " + what +
                     ", so its samples and parameters are not this job's; resume with the job file "
                     "it was made with, or start anew without --resume"};
  };
  // `epoch` is the next sample's; a job that ended lies at the beginning of one it does not have.
  if (manifest.getEpoch() + (manifest.getPosition() > 0 ? 1 : 0) > job().getEpochs())
    return Error{Errc::invalid_argument,
                 "resuming: the checkpoint is in epoch " + std::to_string(manifest.getEpoch() + 1) +
                     " already, and this job has epochs = " + std::to_string(job().getEpochs()) +
                     "; give it at least as many, or start anew without --resume"};
  if (then.getBatch() != job().getBatch()) return differs("batch");
  if (then.getBlock() != job().getBlock()) return differs("block");
  if (then.getSeed() != job().getSeed()) return differs("seed");
  if (layer_texts(then) != layer_texts(job())) return differs("model.layers");
  if (then.getOptimizer().getKind() != job().getOptimizer().getKind() ||
      (then.getOptimizer().getMomentum() > 0) != (job().getOptimizer().getMomentum() > 0))
    return differs("optimizer");
  return ok();
}

void CoordinatorActor::take_over(std::vector<ParameterShard> shards) {
  shards_.assign(shards.size(), ShardSlot{});
  for (std::size_t i = 0; i < shards.size(); ++i) {
    shards_[i].shard = shards[i];
    watch(shards[i]);
  }
  ask_inventories(0, [this](std::vector<Message<schema::Inventory>> inventories) {
    for (const auto& inventory : inventories)
      inventory.read([this](schema::Inventory::Reader read) {
        term_ = std::max(term_, read.getTerm());
        run_term_ = read.getRunTerm();
        reached_ = std::max(reached_, read.getVersion());
      });
    // Wanted in case a shard is gone as well. Read under a term above theirs, so that nothing that
    // the coordinator before has sent is committed, or removed, behind it.
    read_newest([this, inventories](Status newest) { go_on_with(inventories, newest); });
  });
}

void CoordinatorActor::go_on_with(const std::vector<Message<schema::Inventory>>& inventories,
                                  const Status& newest) {
  term_ = std::max(term_, latest_term_) + 1;
  take_up_newest(inventories);
  if (chooses() && !has_own_checkpoint())
    return read_chosen([this, inventories](Status chosen) {
      // Missed only if the job has to roll back, so it is to have one of its own soon.
      if (!chosen) event("what the run was resumed from is lost: " + chosen.error().context);
      branches_ = branches_ || !chosen;
      adopt_shards(inventories);
    });
  const auto adopt = [this, inventories](const Status& found) {
    // A checkpoint of another run in the same stores is not this run's, unless it is what this one
    // resumed.
    if (manifest_ && !is_resumed() && !has_own_checkpoint()) forget_checkpoint();
    // There may be some of this run.
    if (!found && found.error().code == Errc::io_error) {
      event("the checkpoints cannot be read: " + found.error().context);
      branches_ = true;
    }
    adopt_shards(inventories);
  };
  newest ? adopt(newest) : fall_back(newest.error(), adopt);
}

bool CoordinatorActor::is_resumed() const {
  if (run_term_ == 0 ? resumes() : manifest_run() == run_term_) return true;
  return manifest_->read([this](schema::CheckpointManifest::Reader read) {
    return static_cast<std::int64_t>(read.getIteration()) == history_.resumed_from &&
           read.getTerm() == history_.resumed_term;
  });
}

void CoordinatorActor::adopt_shards(const std::vector<Message<schema::Inventory>>& inventories) {
  if (ended()) return;
  if (run_term_ == 0 && manifest_ && !branches_) run_term_ = manifest_run();
  if (run_term_ == 0) run_term_ = term_;
  if (manifest_ && !branches_) last_checkpoint_ = static_cast<std::int64_t>(manifest_iteration());
  if (inventories.size() != job().getShards()) return roll_back("a shard is gone");
  ask_inventories(term_, [this](std::vector<Message<schema::Inventory>> adopted) {
    if (lost_while_adopting_ || adopted.size() != shards_.size())
      return roll_back("a shard could not be adopted");
    adopted_ = std::move(adopted);
    rebuild_when_described();
  });
}

void CoordinatorActor::ask_inventory(ParameterShard shard, std::uint64_t term, int attempts,
                                     std::function<void(const Message<schema::Inventory>*)> done) {
  const auto request = Message<schema::Adopt>::make([term](auto root) { root.setTerm(term); });
  ask(shard, request, adopt_deadline,
      [=, this, done = std::move(done)](Result<Message<schema::Inventory>> inventory) {
        if (inventory) return done(&*inventory);
        // Only a lost message is worth another try: a shard that is gone stays gone.
        if (inventory.error().code == Errc::timeout && attempts > 1)
          return ask_inventory(shard, term, attempts - 1, done);
        done(nullptr);
      });
}

void CoordinatorActor::ask_inventories(
    std::uint64_t term, std::function<void(std::vector<Message<schema::Inventory>>)> done) {
  struct Gathering {
    std::size_t missing;
    std::vector<std::optional<Message<schema::Inventory>>> found;
  };
  auto gathering = std::make_shared<Gathering>();
  gathering->missing = shards_.size();
  gathering->found.resize(shards_.size());
  const std::uint64_t deployment = deployment_;
  for (std::size_t i = 0; i < shards_.size(); ++i)
    ask_inventory(shards_[i].shard, term, adopt_attempts,
                  [=, this](const Message<schema::Inventory>* inventory) {
                    if (deployment != deployment_) return;
                    if (inventory) gathering->found[i] = *inventory;
                    if (--gathering->missing > 0) return;
                    std::vector<Message<schema::Inventory>> all;
                    for (auto& found : gathering->found)
                      if (found) all.push_back(*found);
                    done(std::move(all));
                  });
}

void CoordinatorActor::rebuild_when_described() {
  if (adopted_.empty() || !description_) return;
  rebuild(std::exchange(adopted_, {}));
}

void CoordinatorActor::rebuild(const std::vector<Message<schema::Inventory>>& inventories) {
  std::uint64_t oldest = ~std::uint64_t{0}, newest = 0;
  std::vector<trainer::GroupId> last_commit;
  for (std::size_t i = 0; i < inventories.size(); ++i)
    inventories[i].read([&](schema::Inventory::Reader read) {
      shards_[i].range = {read.getFirst(), read.getCount()};
      shards_[i].prepared = true;
      oldest = std::min(oldest, read.getVersion());
      if (read.getVersion() < newest) return;
      newest = read.getVersion();
      last_commit = runtime::to_vector<trainer::GroupId>(read.getLastCommit());
    });
  const bool committed = mode_->committed();
  bool begun = false;  // The iteration that the job goes on with.
  // A commit that reached one shard was decided, so it is completed on the others.
  if (committed && oldest < newest) send_commit(newest - 1, last_commit);
  const std::uint64_t start = committed ? newest : oldest;
  open_ledger(start);

  std::map<trainer::GroupId, std::pair<trainer::Group, std::set<std::size_t>>> groups;
  for (std::size_t i = 0; i < inventories.size(); ++i)
    inventories[i].read([&](schema::Inventory::Reader read) {
      for (const auto record : read.getGroups()) {
        auto& [group, holders] = groups[record.getGroup()];
        begun = begun || record.getIteration() >= start;
        group = {record.getGroup(), record.getIteration(),
                 runtime::to_vector<std::uint32_t>(record.getBlocks())};
        holders.insert(i);
      }
    });
  for (auto& [id, entry] : groups) {
    auto& [group, holders] = entry;
    for (std::size_t i = 0; i < inventories.size(); ++i)
      inventories[i].read([&](schema::Inventory::Reader read) {
        if (read.getVersion() > group.iteration) holders.insert(i);
      });
    const bool everywhere = holders.size() == inventories.size();
    // Under commits a stage that is not everywhere is dropped; otherwise what one shard applied
    // must reach the others unchanged.
    if (everywhere || !committed) ledger_->restore(group, everywhere);
  }
  adopting_ = false;
  start_training(start, begun);
  commit_ready_iterations();
  if (ledger_->frontier() != start) frontier_moved();
}

}  // namespace slime::actors

#include "actors/training/coordinator.hpp"

#include <algorithm>

#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"
#include "runtime/wire/lists.hpp"

namespace slime::actors {

using namespace std::chrono_literals;
using trainer::Work;

namespace {

constexpr runtime::Retry retry{100ms, 1s};
// How often waiting workers are offered overdue blocks.
constexpr Duration tick_interval = 50ms;

}  // namespace

CoordinatorActor::CoordinatorActor(runtime::Host& host,
                                   const Message<schema::CoordinatorSpec>& spec)
    : Actor(host),
      spec_(spec),
      job_(std::make_unique<capnp::MallocMessageBuilder>()),
      names_(spec.read([](schema::CoordinatorSpec::Reader read) {
        return JobNames(read.getJob().getName().cStr(), RunId{read.getRun()});
      })),
      crew_(spec.read([](auto read) { return read.getJob().getWorkers(); }),
            spec.read([](auto read) { return reproducible(read.getJob()); })),
      history_(spec.read([](schema::CoordinatorSpec::Reader read) {
        std::vector<double> targets;
        for (const double target : read.getJob().getTargetAccuracies()) targets.push_back(target);
        return JobHistory(read.getJob().getWorkers(), targets);
      })) {
  on(&CoordinatorActor::next);
  on(&CoordinatorActor::seal);
  on(&CoordinatorActor::complete);
  on(&CoordinatorActor::evaluated);
  on(&CoordinatorActor::part_saved);
  on(&CoordinatorActor::standby_lost);
  on(&CoordinatorActor::loads);
  on(&CoordinatorActor::shares);
  on(&CoordinatorActor::members);
  on(&CoordinatorActor::get_progress);
  on(&CoordinatorActor::get_record);
  on(&CoordinatorActor::stop_job);
  on(&CoordinatorActor::end_job);
  spec_.read([this](schema::CoordinatorSpec::Reader read) { job_->setRoot(read.getJob()); });
  workers_.resize(job().getWorkers());
}

void CoordinatorActor::on_start() {
  for (WorkerSlot& slot : workers_) slot.vacant_since = now();
  auto mode = mode_of(job());
  if (!mode) return fail(mode.error());
  mode_ = std::move(mode).value();
  const auto policy = policy_of(job());
  if (!policy) return fail(policy.error());
  work_rules_ = (*policy)->work_rules();
  const Membership membership{
      spec_.read([this](auto read) { return as_it_is_now(read.getMembership()); })};
  ask_until_answered(membership, Message<schema::SubscribeMembers>::make([this](auto root) {
                       runtime::write_address(root.initSubscriber(), self());
                     }),
                     retry, [this](Result<Message<schema::Members>> answer) {
                       if (answer) members(*answer);
                     });
  ask_until_answered(directory(), Message<schema::ListNames>::make([this](auto root) {
                       root.setPrefix(names_.prefix());
                     }),
                     retry, [this](Result<Message<schema::Names>> names) {
                       if (!names) return fail(names.error());
                       look_around(*names);
                     });
}

Directory CoordinatorActor::directory() const {
  return {spec_.read([this](auto read) { return as_it_is_now(read.getDirectory()); })};
}

ActorAddress CoordinatorActor::as_it_is_now(schema::ActorAddress::Reader spec) const {
  ActorAddress address = runtime::read_address(spec);
  // The spec may be older than the process of this very node.
  if (address.node == self().node) address.incarnation = self().incarnation;
  return address;
}

template <class T>
WorkerSlot* CoordinatorActor::serving(std::uint32_t worker, std::uint64_t term, Reply<T>& reply) {
  if (worker < workers_.size() && term == term_ && workers_[worker].worker.address == sender() &&
      workers_[worker].state == WorkerSlot::State::working)
    return &workers_[worker];
  reply.fail(Error{Errc::stale, "the coordinator at term " + std::to_string(term_) +
                                    " does not know this worker at term " + std::to_string(term)});
  return nullptr;
}

template WorkerSlot* CoordinatorActor::serving(std::uint32_t, std::uint64_t,
                                               Reply<schema::EvaluationTaken>&);

void CoordinatorActor::next(const Message<schema::Next>& request, Reply<schema::Grant> reply) {
  request.read([&](schema::Next::Reader read) {
    WorkerSlot* slot = serving(read.getWorker(), read.getTerm(), reply);
    if (!slot) return;
    if (read.getSequence() < slot->sequence)
      return reply.fail(Error{Errc::stale, "a question that was asked anew"});
    if (read.getSequence() == slot->sequence && slot->granted) return reply.send(*slot->granted);
    if (read.getSequence() > slot->sequence) slot->paused_since.reset();
    slot->sequence = read.getSequence();
    slot->ahead = read.getAhead();
    slot->granted.reset();
    slot->waiting.emplace(std::move(reply));
    if (!offer(read.getWorker())) tick();
  });
}

void CoordinatorActor::answer(WorkerSlot& slot, const Message<schema::Grant>& grant) {
  slot.granted = grant;
  slot.waiting->send(grant);
  slot.waiting.reset();
}

bool CoordinatorActor::offer(std::uint32_t worker) {
  WorkerSlot& slot = workers_[worker];
  if (!slot.waiting) return false;
  using Grant = Message<schema::Grant>;
  if (state_ != schema::JobState::TRAINING && state_ != schema::JobState::STARTING) {
    answer(slot, Grant::make([](auto root) { root.setFinish(); }));
    return true;
  }
  if (!running()) return false;
  const Work work = ledger_->next(WorkerId{worker}, now(), slot.ahead);
  if (work.kind == Work::Kind::compute) {
    if (!clock_.started()) {
      clock_.start(now());
      tell_run_time();
    }
    answer(slot, lease(work));
    return true;
  }
  if (work.kind == Work::Kind::seal) {
    answer(slot, Grant::make([](auto root) { root.setSeal(); }));
    return true;
  }
  if (!ledger_->paused(WorkerId{worker}))
    slot.paused_since.reset();
  else if (!slot.paused_since)
    slot.paused_since = now();
  // Who has not sealed yet is not through with what it computes at other parameters.
  if (!evaluation_ || ledger_->holds(WorkerId{worker})) return false;
  const auto chunk = evaluation_->take(WorkerId{worker});
  if (!chunk) return false;
  answer(slot, Grant::make([&](schema::Grant::Builder root) {
           auto range = root.initEvaluate();
           range.setRound(evaluation_->number());
           range.setFirst(chunk->first);
           range.setCount(chunk->count);
           range.setVersion(evaluation_->version());
         }));
  return true;
}

void CoordinatorActor::offer_all() {
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) offer(worker);
}

runtime::Message<schema::Grant> CoordinatorActor::lease(const Work& work) const {
  return Message<schema::Grant>::make([&](schema::Grant::Builder root) {
    auto lease = root.initCompute();
    lease.setIteration(work.iteration);
    lease.setBlocks(kj::arrayPtr(work.blocks.data(), work.blocks.size()));
    // The frontier says that every older sample is in, so any shard can serve that version.
    lease.setMinVersion(mode_->committed() ? work.iteration : ledger_->frontier());
    lease.setGroup(work.group);
    lease.setLearningRate(schedule_->learning_rate(ledger_->plan().samples_before(work.iteration)));
    lease.setLast(work.last);
    lease.setRunNs(clock_.elapsed(now()).count());
  });
}

void CoordinatorActor::tick() {
  if (tick_ || !job().getBalance().getFastReassignment()) return;
  tick_ = after(tick_interval, [this] {
    tick_.reset();
    if (!running()) return;
    offer_all();
    for (const WorkerSlot& slot : workers_)
      if (slot.waiting) return tick();
  });
}

void CoordinatorActor::seal(const Message<schema::Seal>& request, Reply<schema::Sealed> reply) {
  request.read([&](schema::Seal::Reader read) {
    WorkerSlot* slot = serving(read.getWorker(), read.getTerm(), reply);
    if (!slot) return;
    const auto answer = [&](trainer::GroupId id) {
      reply.send(Message<schema::Sealed>::make([id](auto root) { root.setGroup(id); }));
    };
    if (read.getSequence() == slot->seal_sequence) return answer(slot->sealed);
    // A late repetition names what was sealed before; the worker has its answer and other blocks.
    if (read.getSequence() < slot->seal_sequence)
      return reply.fail(Error{Errc::stale, "a seal that was answered before"});
    const auto group = ledger_->seal(WorkerId{read.getWorker()}, read.getIteration(),
                                     runtime::to_vector<std::uint32_t>(read.getBlocks()));
    slot->seal_sequence = read.getSequence();
    slot->sealed = group ? group->id : 0;
    history_.workers[read.getWorker()].busy_s += read.getMeasured().getComputeSeconds();
    note_seal(read.getMeasured(), group.has_value());
    if (monitor_)
      // A lost measurement is replaced by the next one.
      (void)tell(monitor_, Message<schema::Measurement>::copy(read.getMeasured()));
    answer(slot->sealed);
    // Its own question may have waited for this one; what a refused seal frees is for anyone.
    group ? (void)offer(read.getWorker()) : offer_all();
  });
}

void CoordinatorActor::complete(const Message<schema::Complete>& request,
                                Reply<schema::Completed> reply) {
  request.read([&](schema::Complete::Reader read) {
    WorkerSlot* slot = serving(read.getWorker(), read.getTerm(), reply);
    if (!slot) return;
    reply.send(Message<schema::Completed>::make());
    const auto code = static_cast<Errc>(read.getFailure().getCode());
    if (code == Errc::diverged && running()) ++history_.refused_pushes;
    if (read.getFailure().getCode() != 0)
      return fail(Error{code, "worker " + std::to_string(read.getWorker()) + ": " +
                                  read.getFailure().getContext().cStr()});
    if (!running()) return;
    const std::uint64_t before = ledger_->frontier();
    ledger_->complete(read.getGroup());
    commit_ready_iterations();
    if (ledger_->frontier() != before) frontier_moved();
  });
}

void CoordinatorActor::commit_ready_iterations() {
  while (const auto groups = ledger_->commit_ready()) {
    // Every shard has every group staged, so this iteration can always be completed: it is decided
    // here, and workers may go on; their pulls wait at the shards.
    send_commit(ledger_->frontier(), *groups);
    last_commit_ = *groups;
    ledger_->commit();
  }
}

void CoordinatorActor::send_commit(std::uint64_t iteration,
                                   const std::vector<trainer::GroupId>& groups) {
  const auto request = Message<schema::Commit>::make([&](schema::Commit::Builder root) {
    root.setTerm(term_);
    root.setIteration(iteration);
    root.setGroups(kj::arrayPtr(groups.data(), groups.size()));
  });
  for (const ShardSlot& slot : shards_)
    ask_until_answered(slot.shard, request, commit_time_.retry(),
                       [this, asked = now()](Result<Message<schema::Committed>> done) {
                         commit_time_.observe(to_seconds(now() - asked));
                         // Whatever makes a shard refuse what it had staged, its parameters are not
                         // to be trusted.
                         if (!done && done.error().code != Errc::stale)
                           roll_back("a shard refused a commit: " + done.error().context);
                       });
}

void CoordinatorActor::loads(const Message<schema::Loads>& message) {
  loads_ = message;
  message.read([this](schema::Loads::Reader read) {
    std::vector<WorkerId> ids;
    std::vector<trainer::IterationTiming> timings;
    for (const auto load : read.getWorkers()) {
      const WorkerId id{load.getWorker()};
      if (!load.getMeasured() || !ledger_ || !ledger_->knows(id)) continue;
      paces_[id] = {.block_s = load.getSecondsPerSample() * job().getBlock(),
                    .fetch_s = load.getFetchSeconds(),
                    .noise = load.getNoise()};
      ids.push_back(id);
      timings.push_back({.mean_s = load.getIterationSeconds(),
                         .sigma_s = load.getNoise() * load.getIterationSeconds(),
                         .exchange_s = load.getFetchSeconds() + load.getPushSeconds()});
    }
    for (std::size_t i = 0; i < ids.size(); ++i) slack_[ids[i]] = mode_->slack(i, timings);
    if (running()) offer_all();
  });
}

void CoordinatorActor::shares(const Message<schema::Shares>& message) {
  message.read([this](schema::Shares::Reader read) {
    next_shares_.clear();
    for (const auto share : read.getShares())
      next_shares_[WorkerId{share.getWorker()}] = share.getBlocks();
    if (ledger_) ledger_->set_shares(next_shares_);
    note_shares();
  });
}

trainer::LedgerRules CoordinatorActor::ledger_rules() {
  const auto balance = job().getBalance();
  const double overdue = work_rules_.overdue_factor;
  return {.slack =
              [this](WorkerId worker) {
                const auto found = slack_.find(worker);
                if (found != slack_.end()) return found->second;
                const trainer::IterationTiming unknown;
                return mode_->slack(0, {&unknown, 1});
              },
          .pace =
              [this](WorkerId worker) {
                const auto found = paces_.find(worker);
                return found == paces_.end() ? trainer::WorkerPace{} : found->second;
              },
          .reassign = balance.getFastReassignment(),
          .overdue_factor = overdue > 0 ? overdue : balance.getOverdueFactor(),
          .overdue_by_noise = overdue <= 0,
          .supply = work_rules_.queue    ? trainer::Supply::blocks
                    : mode_->on_demand() ? trainer::Supply::slices
                                         : trainer::Supply::parts,
          .may_help =
              [rules = work_rules_, count = job().getWorkers()](WorkerId helper, WorkerId helped) {
                return trainer::may_help(rules, count, helper, helped);
              }};
}

void CoordinatorActor::on_down(const ActorAddress& target, const Error& why) {
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker)
    if (workers_[worker].worker.address == target) return worker_died(worker, why.context);
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (shards_[i].shard.address == target) return shard_died(i, why.context);
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (shards_[i].standby.standby.address == target)
      return lose_standby(i, "died: " + why.context);
  const auto store = std::ranges::find(stores_, Checkpointer{target}, &StoreSlot::checkpointer);
  if (store != stores_.end()) return store_died(*store, why.context);
  // What it was asked for has failed, too.
  if (target == copy_.copier.address) copy_.copier = {};
  if (target == monitor_.address || target == balancer_.address) {
    event(std::string(target == monitor_.address ? "performance monitor" : "balancer") +
          " died: " + why.context);
    (target == monitor_.address ? monitor_.address : balancer_.address) = {};
    if (running()) hire_advisers();
  }
}

}  // namespace slime::actors

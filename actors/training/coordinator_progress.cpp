#include <algorithm>
#include <cmath>

#include "actors/training/coordinator.hpp"
#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

namespace {

constexpr std::size_t events_max = 4096;

}  // namespace

void CoordinatorActor::event(std::string text) {
  log(runtime::LogLevel::info, text);
  // What is tried again and again fails in the same words.
  if (!events_.empty() && events_.back().second == text) return;
  events_.emplace_back(wall_clock_us(), std::move(text));
  if (events_.size() <= events_max) return;
  events_.pop_front();
  ++events_forgotten_;
}

void CoordinatorActor::fail(const Error& error) {
  if (state_ == schema::JobState::FAILED) return;
  event("the job failed: " + error.context);
  state_ = schema::JobState::FAILED;
  failure_ = error;
  set_clock(false);
  offer_all();
}

double CoordinatorActor::run_seconds() const {
  return to_seconds(clock_.elapsed(now()));
}

std::uint64_t CoordinatorActor::run_samples() const {
  if (!ledger_) return 0;
  const auto& plan = ledger_->plan();
  return plan.samples_before(ledger_->frontier()) -
         plan.samples_before(history_.first_iteration.value_or(0));
}

void CoordinatorActor::write_workers(schema::Progress::Builder root) const {
  const double run = run_seconds();
  double total_share = 0;
  for (const auto& [worker, share] : next_shares_) total_share += share;
  auto list = root.initWorkers(static_cast<unsigned>(workers_.size()));
  for (unsigned i = 0; i < workers_.size(); ++i) {
    const WorkerSlot& slot = workers_[i];
    const bool alive = slot.state == WorkerSlot::State::working;
    const WorkerAccount& account = history_.workers[i];
    const double present = account.present(run);
    const auto share = next_shares_.find(WorkerId{i});
    list[i].setWorker(i);
    list[i].setAlive(alive);
    std::uint64_t samples = account.samples;
    if (ledger_)
      if (const auto done = ledger_->samples_done().find(WorkerId{i});
          done != ledger_->samples_done().end())
        samples += done->second;
    list[i].setSamples(samples);
    list[i].setShare(total_share > 0 && share != next_shares_.end() ? share->second / total_share
                     : total_share > 0                              ? 0
                                       : 1.0 / static_cast<double>(workers_.size()));
    list[i].setBusySeconds(account.busy_s);
    list[i].setIdleFraction(present > 0 ? std::clamp(1 - account.busy_s / present, 0.0, 1.0) : 0);
    runtime::write_address(list[i].initAddress(), slot.worker.address);
  }
  loads_.read([&](schema::Loads::Reader loads) {
    for (const auto load : loads.getWorkers())
      if (load.hasUsage() && load.getWorker() < list.size())
        list[load.getWorker()].setUsage(load.getUsage());
  });
}

void CoordinatorActor::write_checkpointing(schema::Progress::Builder root) const {
  const auto rules = job().getCheckpoint();
  root.setCheckpointsLate(history_.checkpoints_late);
  root.setCopiedCheckpoint(history_.copied);
  root.setCopiesFailed(history_.copies_failed);
  root.setCheckpointLostSeconds(history_.costs.lost_s());
  root.setCheckpointWriteSeconds(history_.costs.write_s());
  if (!computes_interval()) return;
  root.setCheckpointIntervalSeconds(history_.costs.interval_s(rules, run_seconds()));
  root.setSecondsBetweenFailures(history_.costs.between_failures_s(rules, run_seconds()));
}

void CoordinatorActor::get_progress(const Message<schema::GetProgress>& request,
                                    Reply<schema::Progress> reply) {
  const std::uint64_t from = request.read([](auto read) { return read.getEventsFrom(); });
  reply.send(Message<schema::Progress>::make([&](schema::Progress::Builder root) {
    root.setState(state_);
    if (state_ == schema::JobState::FAILED) {
      root.initFailure().setCode(static_cast<std::uint8_t>(failure_.code));
      root.getFailure().setContext(failure_.context);
    }
    root.setTerm(term_);
    if (ledger_) {
      const auto& plan = ledger_->plan();
      root.setIteration(ledger_->frontier());
      root.setIterations(plan.iterations());
      root.setEpoch(static_cast<std::uint32_t>(plan.epoch_of(ledger_->frontier())));
      root.setSamples(plan.samples_before(ledger_->frontier()));
    }
    root.setRunSeconds(run_seconds());
    root.setRunSamples(run_samples());
    root.setTestAccuracy(history_.accuracy);
    root.setTestLoss(history_.loss);
    auto targets = root.initTargets(static_cast<unsigned>(history_.target_seconds.size()));
    unsigned at = 0;
    for (const auto& [accuracy, seconds] : history_.target_seconds) {
      targets[at].setAccuracy(accuracy);
      targets[at++].setSeconds(seconds);
    }
    write_workers(root);
    if (job().getEmulate().getSampleUs() > 0 && run_samples() > 0) {
      std::vector<trainer::Lifetime> lives;
      for (const WorkerAccount& account : history_.workers)
        lives.insert(lives.end(), account.lives.begin(), account.lives.end());
      const auto ideal = trainer::ideal_makespan_s(emulation_of(job()), lives, run_samples());
      if (ideal) root.setIdealSeconds(*ideal);
    }
    root.setParametersSha256(sha256_);
    root.setResumedFrom(history_.resumed_from);
    root.setLastCheckpoint(last_checkpoint_);
    root.setRollbacks(history_.rollbacks);
    root.setLostIterations(history_.lost_iterations);
    root.setRefusedPushes(history_.refused_pushes);
    write_checkpointing(root);
    root.setStandbys(
        static_cast<std::uint32_t>(std::ranges::count_if(shards_, [](const auto& slot) {
          return slot.standby.state == StandbyPlace::State::ready;
        })));
    root.setTakeovers(takeovers_);
    std::uint32_t slack = 0;
    for (const auto& [worker, lead] : slack_) slack = std::max(slack, lead);
    root.setSlack(slack);
    const std::uint64_t first =
        std::min<std::uint64_t>(from - std::min(from, events_forgotten_), events_.size());
    auto events = root.initEvents(static_cast<unsigned>(events_.size() - first));
    for (unsigned i = 0; i < events.size(); ++i) {
      events[i].setWallUs(events_[first + i].first);
      events[i].setText(events_[first + i].second);
    }
    root.setNextEvent(events_forgotten_ + events_.size());
  }));
}

void CoordinatorActor::end_job(const Message<schema::EndJob>&, Reply<schema::JobEnded> reply) {
  using namespace std::chrono_literals;
  const auto kill = [this](const ActorAddress& actor) { dismiss(actor, "the job ended"); };
  if (running()) state_ = schema::JobState::STOPPED;
  for (const WorkerSlot& slot : workers_) kill(slot.worker.address);
  for (const ShardSlot& slot : shards_) {
    kill(slot.shard.address);
    kill(slot.standby.standby.address);
  }
  for (const StoreSlot& store : stores_) kill(store.checkpointer.address);
  kill(copy_.copier.address);
  kill(monitor_.address);
  kill(balancer_.address);
  reply.send(Message<schema::JobEnded>::make());
  after(100ms, [this] { stop(); });
}

}  // namespace slime::actors

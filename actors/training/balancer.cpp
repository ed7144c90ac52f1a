#include "actors/training/balancer.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

namespace {

// Those who come at a time, as at the start of a job, are one decision.
constexpr Duration gathering = std::chrono::milliseconds(1);

}  // namespace

BalancerActor::BalancerActor(runtime::Host& host, const Message<schema::BalancerSpec>& spec)
    : Actor(host) {
  on(&BalancerActor::loads);
  on(&BalancerActor::enlist);
  on(&BalancerActor::forget);
  on(&BalancerActor::run_time);
  spec.read([this](schema::BalancerSpec::Reader read) {
    coordinator_ = Coordinator{runtime::read_address(read.getCoordinator())};
    auto policy = policy_of(read.getJob());
    if (!policy) throw std::invalid_argument(to_string(policy.error()));
    policy_ = std::move(policy).value();
    blocks_ = work_plan(read.getJob(), 1).blocks_in_full();
    block_ = read.getJob().getBlock();
    emulation_ = emulation_of(read.getJob());
    clock_ = RunClock(now(), Duration(read.getStartedNs()), true);
  });
}

void BalancerActor::on_start() {
  watch(coordinator_);
}

void BalancerActor::on_down(const ActorAddress&, const Error&) {
  stop();
}

void BalancerActor::loads(const Message<schema::Loads>& message) {
  message.read([this](schema::Loads::Reader read) {
    // A monitor that was replaced may begin with an older one.
    iteration_ = std::max(iteration_, read.getIteration());
    // Both are in the order of ids, so the next one is where the one before was, or nearly.
    auto at = loads_.begin();
    for (const auto load : read.getWorkers()) {
      const WorkerId worker{load.getWorker()};
      if (at == loads_.end() || at->worker != worker) at = place_of(worker);
      if (at == loads_.end() || at->worker != worker) continue;
      at->speed = {.fixed_s = load.getFixedSeconds(),
                   .sample_s = load.getSecondsPerSample(),
                   .noise = load.getNoise(),
                   .measurements = load.getMeasurements()};
      ++at;
    }
  });
  decide();
}

std::vector<trainer::WorkerLoad>::iterator BalancerActor::place_of(WorkerId worker) {
  return std::ranges::lower_bound(loads_, worker, {}, &trainer::WorkerLoad::worker);
}

void BalancerActor::enlist(const Message<schema::Enlist>& message) {
  const WorkerId worker{message.read([](auto read) { return read.getWorker(); })};
  const auto at = place_of(worker);
  if (at != loads_.end() && at->worker == worker) return;
  if (emulation_.sample_us > 0)
    declared_.insert(declared_.begin() + (at - loads_.begin()),
                     trainer::SpeedProfile(emulation_, worker));
  loads_.emplace(at)->worker = worker;
  declared_until_s_ = 0;
  if (std::exchange(deciding_, true)) return;
  after(gathering, [this] {
    deciding_ = false;
    decide();
  });
}

void BalancerActor::forget(const Message<schema::Forget>& message) {
  const WorkerId worker{message.read([](auto read) { return read.getWorker(); })};
  const auto at = place_of(worker);
  if (at == loads_.end() || at->worker != worker) return;
  if (!declared_.empty()) declared_.erase(declared_.begin() + (at - loads_.begin()));
  loads_.erase(at);
  decide();
}

void BalancerActor::run_time(const Message<schema::RunTime>& message) {
  message.read([this](schema::RunTime::Reader read) {
    clock_ = RunClock(now(), Duration(read.getElapsedNs()), read.getTicking());
  });
  // By the clock before, it may have been later.
  declared_until_s_ = 0;
}

void BalancerActor::declare() {
  const double at = to_seconds(clock_.elapsed(now()));
  // Speeds seldom change, and there may be ten thousand workers.
  if (declared_.empty() || at < declared_until_s_) return;
  declared_until_s_ = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    double speed = 1;
    // A worker that stands still is taken at the speed it had: it will be back within the
    // iteration, or its blocks are overdue.
    for (const auto& piece : declared_[i].pieces()) {
      if (piece.from_s > at) {
        declared_until_s_ = std::min(declared_until_s_, piece.from_s);
        break;
      }
      if (piece.speed > 0) speed = piece.speed;
    }
    loads_[i].declared_sample_s = emulation_.sample_us * 1e-6 / speed;
  }
}

void BalancerActor::decide() {
  if (loads_.empty()) return;
  declare();
  const auto shares =
      policy_->split({.units = blocks_, .block = block_, .iteration = iteration_}, loads_);
  if (!shares) {
    log(runtime::LogLevel::warning, "shares stay as they are: " + shares.error().context);
    return;
  }
  bool changed = false;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    auto& previous = loads_[i].units_previous;
    changed = changed || previous != (*shares)[i];
    previous = (*shares)[i];
  }
  if (!changed) return;
  // A lost decision is repeated with the next change; until then shares are as good as before.
  (void)tell(coordinator_, Message<schema::Shares>::make([&](schema::Shares::Builder root) {
               root.setDecision(++decisions_);
               auto list = root.initShares(static_cast<unsigned>(loads_.size()));
               for (unsigned i = 0; i < loads_.size(); ++i) {
                 list[i].setWorker(static_cast<std::uint32_t>(loads_[i].worker));
                 list[i].setBlocks((*shares)[i]);
               }
             }));
}

}  // namespace slime::actors

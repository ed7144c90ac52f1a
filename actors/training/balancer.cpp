#include "actors/training/balancer.hpp"

#include <algorithm>
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
  spec.read([this](schema::BalancerSpec::Reader read) {
    coordinator_ = Coordinator{runtime::read_address(read.getCoordinator())};
    auto policy = policy_of(read.getJob());
    if (!policy) throw std::invalid_argument(to_string(policy.error()));
    policy_ = std::move(policy).value();
    blocks_ = work_plan(read.getJob(), 1).blocks_in_full();
    block_ = read.getJob().getBlock();
    emulation_ = emulation_of(read.getJob());
    began_ = now() - Duration(read.getStartedNs());
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
    for (const auto load : read.getWorkers()) {
      const auto found = workers_.find(WorkerId{load.getWorker()});
      if (found == workers_.end()) continue;
      found->second.speed = {.fixed_s = load.getFixedSeconds(),
                             .sample_s = load.getSecondsPerSample(),
                             .noise = load.getNoise(),
                             .measurements = load.getMeasurements()};
    }
  });
  decide();
}

void BalancerActor::enlist(const Message<schema::Enlist>& message) {
  const WorkerId worker{message.read([](auto read) { return read.getWorker(); })};
  const auto [load, is_new] = workers_.try_emplace(worker);
  load->second.worker = worker;
  if (!is_new) return;
  if (emulation_.sample_us > 0)
    declared_.try_emplace(worker, trainer::SpeedProfile(emulation_, worker));
  if (std::exchange(deciding_, true)) return;
  after(gathering, [this] {
    deciding_ = false;
    decide();
  });
}

void BalancerActor::forget(const Message<schema::Forget>& message) {
  const WorkerId worker{message.read([](auto read) { return read.getWorker(); })};
  declared_.erase(worker);
  if (workers_.erase(worker) > 0) decide();
}

double BalancerActor::declared_sample_s(const trainer::SpeedProfile& declared) const {
  const double at = to_seconds(now() - began_);
  double speed = 1;
  // A worker that stands still is taken at the speed it had: it will be back within the iteration,
  // or its blocks are overdue.
  for (const auto& piece : declared.pieces()) {
    if (piece.from_s > at) break;
    if (piece.speed > 0) speed = piece.speed;
  }
  return emulation_.sample_us * 1e-6 / speed;
}

void BalancerActor::decide() {
  if (workers_.empty()) return;
  std::vector<trainer::WorkerLoad> loads;
  for (const auto& [worker, load] : workers_) {
    loads.push_back(load);
    if (const auto declared = declared_.find(worker); declared != declared_.end())
      loads.back().declared_sample_s = declared_sample_s(declared->second);
  }
  const auto shares =
      policy_->split({.units = blocks_, .block = block_, .iteration = iteration_}, loads);
  if (!shares) {
    log(runtime::LogLevel::warning, "shares stay as they are: " + shares.error().context);
    return;
  }
  bool changed = false;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    auto& previous = workers_[loads[i].worker].units_previous;
    changed = changed || previous != (*shares)[i];
    previous = (*shares)[i];
  }
  if (!changed) return;
  // A lost decision is repeated with the next change; until then shares are as good as before.
  (void)tell(coordinator_, Message<schema::Shares>::make([&](schema::Shares::Builder root) {
               root.setDecision(++decisions_);
               auto list = root.initShares(static_cast<unsigned>(loads.size()));
               for (unsigned i = 0; i < loads.size(); ++i) {
                 list[i].setWorker(static_cast<std::uint32_t>(loads[i].worker));
                 list[i].setBlocks((*shares)[i]);
               }
             }));
}

}  // namespace slime::actors

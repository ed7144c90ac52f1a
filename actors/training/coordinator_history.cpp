#include <algorithm>

#include "actors/training/coordinator.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

// What changes in between is told at once.
constexpr Duration telling_interval = 20ms;

}  // namespace

void CoordinatorActor::write_history(schema::JobHistory::Builder root) const {
  JobHistory known = history_;
  if (ledger_)
    for (const auto& [worker, samples] : ledger_->samples_done())
      known.workers[static_cast<std::uint32_t>(worker)].samples += samples;
  known.write(root, job().getEmulate().getSampleUs() > 0);
  root.setTerm(term_);
  root.setNumber(tellings_);
  root.setStarted(clock_.started());
  root.setRunNs(clock_.elapsed(now()).count());
  root.setTicking(clock_.ticking());
  root.setStopWanted(stop_wanted_);
  if (description_) description_->write(root.initCrew());
}

void CoordinatorActor::history_changed() {
  if (history_timer_) return;
  history_timer_ = after(telling_interval, [this] {
    history_timer_.reset();
    tell_history();
  });
}

void CoordinatorActor::tell_history() {
  if (ended()) return;
  ++tellings_;
  const auto message =
      Message<schema::JobHistory>::make([this](auto root) { write_history(root); });
  // Whoever misses it gets the next one.
  for (const ShardSlot& slot : shards_)
    if (slot.shard) (void)tell(slot.shard, message);
}

void CoordinatorActor::take_up_newest(const std::vector<Message<schema::Inventory>>& inventories) {
  const Message<schema::Inventory>* newest = nullptr;
  std::pair<std::uint64_t, std::uint64_t> newest_age;
  for (const auto& inventory : inventories)
    inventory.read([&](schema::Inventory::Reader read) {
      const std::pair age{read.getHistory().getTerm(), read.getHistory().getNumber()};
      if (!read.hasHistory() || (newest && age < newest_age)) return;
      newest = &inventory;
      newest_age = age;
    });
  if (newest)
    return newest->read([this](schema::Inventory::Reader read) {
      take_up_history(read.getHistory(), Duration(read.getHistoryNs()));
    });
  if (!has_own_checkpoint()) return;
  manifest_->read([this](schema::CheckpointManifest::Reader read) {
    const std::int64_t since_us = std::max<std::int64_t>(0, wall_clock_us() - read.getWallTimeUs());
    if (read.hasHistory()) take_up_history(read.getHistory(), std::chrono::microseconds(since_us));
  });
}

void CoordinatorActor::take_up_history(schema::JobHistory::Reader history, Duration since) {
  history_.take_up(history);
  if (history.getStarted()) {
    const bool ticking = history.getTicking();
    const Duration elapsed = Duration(history.getRunNs()) + (ticking ? since : Duration::zero());
    clock_ = RunClock(now(), elapsed, ticking);
  }
  stop_wanted_ = stop_wanted_ || history.getStopWanted();
  if (!description_ && history.getCrew().getSamples() > 0)
    // It was settled before, so it cannot fail.
    (void)settle_on(CrewTraits::read(history.getCrew()));
  // Those that are not here died with the coordinator.
  for (std::size_t worker = 0; worker < workers_.size(); ++worker)
    if (workers_[worker].state == WorkerSlot::State::vacant)
      history_.workers[worker].leave(run_seconds());
}

}  // namespace slime::actors

#include "runtime/link/brief_turns.hpp"

#include <caf/actor_system.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <algorithm>
#include <utility>

#include "runtime/link/link_context.hpp"
#include "runtime/link/peer.hpp"

namespace slime::runtime {

namespace {

// Actors that keep each other busy go on at the scheduler: connections wait meanwhile.
constexpr std::size_t turns_max = 256;
// Of these the first are answered before the rest is handled, so that both ends are busy.
constexpr std::size_t messages_max = 16;

thread_local const BriefTurns* running = nullptr;

}  // namespace

void BriefTurns::exec_later(caf::resumable* job) {
  const auto* actor = dynamic_cast<const BriefActor*>(job);
  if (actor && actor->has_brief_turns())
    woken_.push_back(job);
  else
    system().scheduler().enqueue(job);
}

void BriefTurns::run() {
  if (woken_.empty()) return;
  // What a turn wakes is added behind.
  for (std::size_t i = 0; i < woken_.size(); ++i) {
    if (i < turns_max)
      resume(woken_[i]);
    else
      system().scheduler().enqueue(woken_[i]);
  }
  woken_.clear();
  flush();
}

void BriefTurns::flush() {
  running = nullptr;
  for (const auto& peer : std::exchange(to_flush_, {})) peer->context().peer_ready(peer);
}

void BriefTurns::resume(caf::resumable* job) {
  running = this;
  const Instant before = monotonic_now();
  const auto outcome = job->resume(this, messages_max);
  const Duration taken = monotonic_now() - before;
  if (taken >= settings_.slow_turn) note_slow(job, taken);
  switch (outcome) {
    case caf::resumable::resume_later:
      woken_.push_back(job);
      flush();
      return;
    case caf::resumable::awaiting_message:
    case caf::resumable::done:
    case caf::resumable::shutdown_execution_unit:
      // The reference that came with the job.
      caf::intrusive_ptr_release(job);
      return;
  }
}

void BriefTurns::note_slow(const caf::resumable* job, Duration taken) {
  slow_turns_.add();
  if (!settings_.log) return;
  // No other is woken here.
  const auto& actor = dynamic_cast<const BriefActor&>(*job);
  settings_.log(LogLevel::warning,
                actor.text() + " held the link's thread for " + std::to_string(to_seconds(taken)) +
                    " s: its type says that its turns are brief, and everything else waits");
}

bool BriefTurns::keep_for_later(Peer& peer) {
  if (running != this) return false;
  const bool known = std::any_of(to_flush_.begin(), to_flush_.end(),
                                 [&](const auto& kept) { return kept.get() == &peer; });
  if (!known) to_flush_.push_back(peer.shared_from_this());
  return true;
}

}  // namespace slime::runtime

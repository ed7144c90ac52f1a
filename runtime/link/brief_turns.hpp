#pragma once

#include <caf/execution_unit.hpp>
#include <caf/fwd.hpp>

#include <memory>
#include <string>
#include <vector>

#include "runtime/link/link_settings.hpp"
#include "runtime/link/link_stats.hpp"

namespace slime::runtime {

class Peer;

/// What an actor is, besides a CAF actor, if its turns may run on the link's thread.
class BriefActor {
 public:
  /// Whether every turn takes microseconds and never blocks. Constant.
  virtual bool has_brief_turns() const = 0;
  /// Who it is, for the log.
  virtual std::string text() const = 0;

 protected:
  ~BriefActor() = default;
};

/// Runs the turns of brief actors on the link's thread, right where their messages were received.
/// A scheduler's worker would have to be woken for each, which takes longer than the turn; and what
/// the actors of one batch of messages send leaves in one batch, too. All other actors are handed
/// to the scheduler. What an actor does in one go, up to sixteen messages, is a slow turn when it
/// takes `LinkSettings::slow_turn`: it is logged and counted, because everything on this thread
/// waits for it. The link's thread only, unless stated.
class BriefTurns final : public caf::execution_unit {
 public:
  /// Both outlive it.
  BriefTurns(caf::actor_system& system, const LinkSettings& settings)
      : caf::execution_unit(&system), settings_(settings) {}

  /// Called by CAF where a message has woken an actor.
  void exec_later(caf::resumable* job) override;

  /// Runs those woken since the last call, and hands what they sent to their peers' connections.
  void run();

  /// Any thread. Whether a turn is under way on this thread; then `peer` is looked after at its
  /// end, for there is something to be sent to it.
  bool keep_for_later(Peer& peer);

  /// Any thread.
  std::uint64_t slow_turns() const { return slow_turns_.read(); }

 private:
  void resume(caf::resumable* job);
  void flush();
  void note_slow(const caf::resumable* job, Duration taken);

  const LinkSettings& settings_;
  Tally slow_turns_;
  std::vector<caf::resumable*> woken_;
  std::vector<std::shared_ptr<Peer>> to_flush_;
};

}  // namespace slime::runtime

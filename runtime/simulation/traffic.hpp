#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/base/random.hpp"
#include "runtime/simulation/call_table.hpp"
#include "runtime/simulation/delivery.hpp"
#include "runtime/simulation/event_queue.hpp"
#include "runtime/simulation/network.hpp"
#include "runtime/simulation/roster.hpp"

namespace slime::runtime {

/// What is under way in a simulation: messages between actors, calls until they end, timers. Keeps
/// the promises of `Host` about them and owns the virtual time; gives nobody a turn.
class Traffic {
 public:
  Traffic(std::uint64_t seed, const LinkModel& link, Roster& roster)
      : random_(seed, 2), network_(seed, link), roster_(roster) {}

  Instant now() const { return now_; }
  Network& network() { return network_; }

  // What an actor does; see `Host`.

  void tell(Cell& from, const ActorAddress& to, const AnyMessage& message);
  void ask(Cell& from, std::uint64_t ask, const ActorAddress& to, const AnyMessage& message,
           Duration deadline);
  void answer(Cell& from, std::uint64_t request, const AnyMessage& message);
  void watch(Cell& from, const ActorAddress& target);
  void start_timer(const Cell& of, std::uint64_t timer, Duration delay);

  // What happens next.

  void schedule(Instant time, Event event) { push(time, std::move(event)); }
  /// When the next event happens; it may lie in the past when it was held up. None: no events.
  std::optional<Instant> next_time();
  /// Advances the time to the next event and takes it. None when it is held up, or lost with its
  /// node or link. Precondition: there is one.
  std::optional<Event> next();
  /// Lets time pass without events. Precondition: none is due before.
  void advance(Instant to) { now_ = std::max(now_, to); }

  std::size_t pending() const { return queue_.size(); }
  std::size_t pending_messages() const { return messages_; }

  // What becomes of calls.

  /// Null when the call is over. Valid until an actor acts.
  Call* find(std::uint64_t id) { return calls_.find(id); }
  /// Ends the call for the asker: its answer is delivered or will never be.
  void close(std::uint64_t id);
  /// Sends the end of a call from its target. Does nothing when it was sent before.
  void finish(std::uint64_t id, Call& call, const AnyMessage& message);
  /// Ends asks that `target` had received, or watches of it.
  void finish_all(const Cell& target, Call::Kind kind, const AnyMessage& message);

  // What becomes of links.

  /// Holds up what passes between two nodes, or lets it go on.
  void set_apart(std::uint32_t left, std::uint32_t right, bool apart);
  /// Whether nothing will pass between two nodes ever again.
  bool severed(std::uint32_t left, std::uint32_t right) const;
  /// Makes it so.
  void sever(std::uint32_t left, std::uint32_t right);
  /// Fails every call to an actor of `node` that was made across a severed link.
  void bounce_severed(std::uint32_t node, const Error& why);
  /// What waited for a paused node happens now, or is lost when the node is dead.
  void unpark(SimulatedNode& node);

 private:
  EventQueue::Slot push(Instant time, Event event);
  Event take(EventQueue::Slot slot);
  void discard(EventQueue::Slot slot);
  void send(Cell& from, const Cell& to, Lane lane, Event event);
  void bounce(std::uint64_t id, Call& call, const AnyMessage& failure);
  bool severed(const Channel& channel) const;
  bool put_aside(const EventQueue::Entry& entry);

  Random random_;
  Network network_;
  Roster& roster_;
  EventQueue queue_;
  CallTable calls_;
  Instant now_ = simulation_start;
  std::size_t messages_ = 0;
};

}  // namespace slime::runtime

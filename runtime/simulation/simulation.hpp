#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/actor/catalogue.hpp"
#include "runtime/actor/failure.hpp"
#include "runtime/actor/protocol.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/random.hpp"
#include "runtime/simulation/delivery.hpp"
#include "runtime/simulation/journal.hpp"
#include "runtime/simulation/link_model.hpp"
#include "runtime/simulation/roster.hpp"
#include "runtime/simulation/traffic.hpp"

namespace slime::runtime {

class Outside;

/// A whole cluster in one thread: nodes, the links between them and the actors on them, in virtual
/// time. It runs the very behaviours that a node runs, and two simulations with one seed that are
/// driven alike do the same. Everything `Host` promises holds; delays, losses, orders and deaths
/// are chosen by the seed, the link model and the caller.
///
/// Nothing blocks. Confined to one thread. Calls from within an actor's turn are allowed except
/// those that step; so are calls from observers.
class Simulation {
 public:
  /// Called before each delivery, in the order of registration; the first verdict other than
  /// `deliver` counts. It may harm actors and nodes itself, too.
  using Observer = std::function<Verdict(const Delivery&)>;
  /// Called when `observer` has declared `lost` dead, after which nothing passes between the two.
  using LostHook = std::function<void(NodeId observer, NodeId lost, const Error& why)>;

  explicit Simulation(std::uint64_t seed, const LinkModel& link = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // The cluster.

  /// Starts a node, on which `catalogue`'s types can be spawned by name. A node that takes over the
  /// name of another has an id of its own and the next incarnation of that name.
  NodeId add_node(std::string name, Catalogue catalogue = {});
  /// Starts the next process of a node that was killed: the same id and name, the next incarnation.
  void restart_node(NodeId node) {
    const SimulatedNode& last = roster_.node(roster_.node_index(node));
    roster_.add(node, last.name, last.catalogue);
  }
  /// Runs an actor; its first turn follows. `number` 0 takes the next free one. Errors:
  /// unavailable (the node is dead or unknown), already_exists (the number was used),
  /// invalid_argument (not a fixed number), internal (the constructor threw; with its text).
  Result<ActorAddress> spawn(NodeId node, const ActorType& type, const AnyMessage& spec,
                             std::uint64_t number = 0);
  /// As above, by a name of the node's catalogue. Errors: also invalid_argument (no such type).
  Result<ActorAddress> spawn(NodeId node, std::string_view type, const AnyMessage& spec);

  std::uint64_t incarnation(NodeId node) const;
  const std::string& name(NodeId node) const;
  /// False once the node was killed.
  bool alive(NodeId node) const;
  bool alive(const ActorAddress& actor) const;
  /// Every actor that ever ran on the node, in order of number.
  std::vector<ActorStatus> actors(NodeId node) const;
  /// The behaviour of a living actor, for tests that look inside; null when it is dead.
  Behaviour* behaviour(const ActorAddress& actor) const;

  // Harm and repair.

  /// Ends an actor as failed, after its turn when it is in one. Errors: not_found.
  Status kill_actor(const ActorAddress& actor, const Error& why);
  /// The node and its actors are gone at once, without a last turn, as by SIGKILL; the others
  /// notice after the model's `detection`.
  void kill_node(NodeId node);
  /// As by SIGSTOP: nothing happens on the node and what is sent to it waits. Paused for as long as
  /// `detection`, it is declared dead by the others and stays fenced when it resumes.
  void pause_node(NodeId node);
  void resume_node(NodeId node);
  /// Holds up what passes between two nodes until the partition ends. Apart for as long as
  /// `detection`, each declares the other dead.
  void partition(NodeId left, NodeId right, bool apart);
  /// Has each of two nodes treat the other as dead, as when a third one says so.
  void sever(NodeId left, NodeId right, const Error& why);
  /// Whether what is sent between two nodes arrives now: their link is neither cut nor severed.
  bool connected(NodeId left_id, NodeId right_id) {
    const std::uint32_t left = roster_.node_index(left_id), right = roster_.node_index(right_id);
    return !traffic_.severed(left, right) && !traffic_.network().channel(left, right).apart;
  }
  void set_link(const LinkModel& link) { traffic_.network().set_model(link); }

  // Time.

  Instant now() const { return traffic_.now(); }
  /// Lets the next thing happen. False when nothing is left to happen.
  bool step();
  /// Runs to `until`, including what happens at that instant.
  void run_until(Instant until);
  /// Runs until `done`, which is asked before each step. False when `limit` has passed before that.
  bool run_until(const std::function<bool()>& done, Duration limit);

  /// Events to come: messages, timers and deadlines. Those of paused and parted nodes do not count.
  std::size_t pending() const { return traffic_.pending(); }
  /// Messages on their way, those held up included: at 0 only timers and deadlines go on.
  std::size_t pending_messages() const { return traffic_.pending_messages(); }
  /// `counter` is read after each step; while it stands still nothing progresses.
  void watch_progress(std::function<std::uint64_t()> counter) { counter_ = std::move(counter); }
  /// When the counter last changed.
  Instant last_progress() const { return last_progress_; }

  // Observation.

  void observe(Observer observer) { observers_.push_back(std::move(observer)); }
  void on_lost(LostHook hook) { lost_hooks_.push_back(std::move(hook)); }
  std::uint64_t deliveries() const { return deliveries_; }
  /// Over every delivery so far: kind, actors, time and the message's beginning.
  std::uint64_t trace_hash() const { return trace_hash_; }
  /// The newest lines, oldest first.
  const std::deque<LogLine>& log_lines() const { return journal_.lines(); }
  /// How many lines are kept from now on.
  void set_log_limit(std::size_t lines) { journal_.set_limit(lines); }

  // Calls from outside, over a perfect link.

  void tell(const ActorAddress& to, const AnyMessage& message);
  /// Calls `done` once with the answer or a Failure.
  void ask(const ActorAddress& to, const AnyMessage& message, Duration deadline,
           std::function<void(const AnyMessage&)> done);
  /// Asks and runs until the answer is there.
  template <class P, class Q>
  Result<Message<typename P::template Answer<Q>>> call(
      const Ref<P>& to, const Message<Q>& message, Duration deadline = std::chrono::seconds(60)) {
    std::optional<AnyMessage> answer;
    ask(to.address, message.any(), deadline, [&answer](const AnyMessage& any) { answer = any; });
    while (!answer && step()) {
    }
    if (auto error = failure_of(*answer)) return std::move(*error);
    return Message<typename P::template Answer<Q>>::from(*answer);
  }

 private:
  void happen(Event event);
  void deliver(Event event);
  bool survives(const Event& event, Verdict verdict);
  Verdict verdict(const Event& event);
  void receive(Cell& cell, const Event& event);
  void trace(const Event& event);
  template <class Turn>
  void take_turn(Cell& cell, Turn&& turn);
  void end(Cell& cell, const AnyMessage& reason);
  void silence(std::uint32_t node);
  void check_node(std::uint32_t node, std::uint64_t fault);
  void check_pair(std::uint32_t left, std::uint32_t right, std::uint64_t partition);
  void report_lost(std::uint32_t observer, std::uint32_t lost, const Error& why);

  Random random_;
  Journal journal_;
  Roster roster_;
  Traffic traffic_;
  Outside* outside_ = nullptr;

  std::vector<Observer> observers_;
  std::vector<LostHook> lost_hooks_;
  std::function<std::uint64_t()> counter_;
  std::uint64_t progress_ = 0;
  Instant last_progress_ = simulation_start;
  std::uint64_t deliveries_ = 0;
  std::uint64_t trace_hash_ = 0;
};

}  // namespace slime::runtime

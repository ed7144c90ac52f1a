#include "runtime/simulation/simulation.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <utility>

#include "runtime/simulation/outside.hpp"

namespace slime::runtime {

namespace {

std::string node_text(const SimulatedNode& node) {
  return "node " + node.name + " (" + to_string(node.id) + ")";
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

}  // namespace

Simulation::Simulation(std::uint64_t seed, const LinkModel& link)
    : random_(seed), roster_(traffic_, journal_), traffic_(seed, link, roster_) {
  const ActorType type{"outside", Turns::computing, [this](Host& host, const AnyMessage&) {
                         auto outside = std::make_unique<Outside>(host);
                         outside_ = outside.get();
                         return outside;
                       }};
  spawn(add_node("outside"), type, {}).value();
  step();  // Its first turn is no business of the observers'.
}

Simulation::~Simulation() {
  // What the behaviours' destructors say goes to hosts that must still be there.
  for (std::uint32_t i = 0; i < roster_.cell_count(); ++i) {
    roster_.cell(i).state = Cell::State::ended;
    roster_.cell(i).behaviour.reset();
  }
}

NodeId Simulation::add_node(std::string name, Catalogue catalogue) {
  const NodeId id{random_.next() | 1, random_.next()};
  roster_.add(id, std::move(name), std::move(catalogue));
  return id;
}

Result<ActorAddress> Simulation::spawn(NodeId node, const ActorType& type, const AnyMessage& spec,
                                       std::uint64_t number) {
  const std::string what = "spawning " + std::string(type.name) + " on " + to_string(node) + ": ";
  const std::uint32_t index = roster_.find_node(node);
  if (index == Roster::none || roster_.node(index).state == SimulatedNode::State::dead)
    return Error{Errc::unavailable, what + "the node is dead or unknown"};
  if (number >= Roster::first_free_number)
    return Error{Errc::invalid_argument, what + "not a fixed number"};
  Cell& cell = roster_.reserve(index, number);
  if (cell.state != Cell::State::absent)
    return Error{Errc::already_exists, what + "its number was used before"};
  try {
    cell.behaviour = type.make(cell, spec);
  } catch (const std::exception& exception) {
    return Error{Errc::internal, what + exception.what()};
  }
  cell.type = type.name;
  cell.state = Cell::State::live;
  traffic_.schedule(now(), Event{.kind = Event::Kind::start, .to = cell.index});
  return cell.address;
}

Result<ActorAddress> Simulation::spawn(NodeId node, std::string_view type, const AnyMessage& spec) {
  for (const ActorType& entry : roster_.node(roster_.node_index(node)).catalogue)
    if (entry.name == type) return spawn(node, entry, spec);
  return Error{Errc::invalid_argument, "spawning " + std::string(type) + " on " + to_string(node) +
                                           ": it is not in the node's catalogue"};
}

std::uint64_t Simulation::incarnation(NodeId node) const {
  return roster_.node(roster_.node_index(node)).incarnation;
}

const std::string& Simulation::name(NodeId node) const {
  return roster_.node(roster_.node_index(node)).name;
}

bool Simulation::alive(NodeId node) const {
  return roster_.node(roster_.node_index(node)).state != SimulatedNode::State::dead;
}

bool Simulation::alive(const ActorAddress& actor) const {
  const Cell* cell = roster_.find(actor);
  return cell && cell->active();
}

std::vector<ActorStatus> Simulation::actors(NodeId node) const {
  return roster_.statuses(roster_.node_index(node));
}

Behaviour* Simulation::behaviour(const ActorAddress& actor) const {
  const Cell* cell = roster_.find(actor);
  return cell ? cell->behaviour.get() : nullptr;
}

void Simulation::tell(const ActorAddress& to, const AnyMessage& message) {
  outside_->tell(to, message);
}

void Simulation::ask(const ActorAddress& to, const AnyMessage& message, Duration deadline,
                     std::function<void(const AnyMessage&)> done) {
  outside_->ask(to, message, deadline, std::move(done));
}

bool Simulation::step() {
  if (!traffic_.next_time()) return false;
  if (auto event = traffic_.next()) happen(std::move(*event));
  if (!counter_) return true;
  const std::uint64_t progress = counter_();
  if (std::exchange(progress_, progress) != progress) last_progress_ = now();
  return true;
}

void Simulation::run_until(Instant until) {
  for (auto next = traffic_.next_time(); next && *next <= until; next = traffic_.next_time())
    step();
  traffic_.advance(until);
}

bool Simulation::run_until(const std::function<bool()>& done, Duration limit) {
  const Instant until = now() + limit;
  while (!done()) {
    const auto next = traffic_.next_time();
    if (!next || *next > until) {
      traffic_.advance(until);
      return false;
    }
    step();
  }
  return true;
}

void Simulation::happen(Event event) {
  switch (event.kind) {
    case Event::Kind::node_lost:
      return check_node(event.to, event.id);
    case Event::Kind::pair_lost:
      return check_pair(event.from, event.to, event.id);
    case Event::Kind::deadline:
    case Event::Kind::answer: {
      Call* call = traffic_.find(event.id);
      if (!call) return;  // It is over.
      if (event.kind == Event::Kind::answer) break;
      char wait[32];
      std::snprintf(wait, sizeof wait, "%g s", to_seconds(call->wait));
      event.message = to_failure(
          Error{Errc::timeout, "asking " + to_string(call->address) + ": no answer in " + wait});
      break;
    }
    default:
      break;
  }
  deliver(std::move(event));
}

Verdict Simulation::verdict(const Event& event) {
  if (observers_.empty()) return Verdict::deliver;
  constexpr std::array kinds{DeliveryKind::start,  DeliveryKind::tell,  DeliveryKind::ask,
                             DeliveryKind::answer, DeliveryKind::timer, DeliveryKind::answer};
  DeliveryKind kind = kinds[static_cast<std::size_t>(event.kind)];
  ActorAddress from;
  if (event.kind == Event::Kind::answer || event.kind == Event::Kind::deadline) {
    const Call& call = *traffic_.find(event.id);
    if (call.kind == Call::Kind::watch) kind = DeliveryKind::down;
    from = call.address;
  } else if (event.kind == Event::Kind::tell || event.kind == Event::Kind::ask) {
    from = roster_.cell(event.from).address;
  }
  const Delivery delivery{kind, from, roster_.cell(event.to).address, event.message, now()};
  Verdict first = Verdict::deliver;
  for (const Observer& observer : observers_) {
    const Verdict verdict = observer(delivery);
    if (first == Verdict::deliver) first = verdict;
  }
  return first;
}

bool Simulation::survives(const Event& event, Verdict verdict) {
  const Error killed{Errc::unavailable, "killed by an observer"};
  Call* call = event.kind == Event::Kind::answer ? traffic_.find(event.id) : nullptr;
  const bool has_sender = event.kind != Event::Kind::start && event.kind != Event::Kind::timer &&
                          event.kind != Event::Kind::deadline && event.from != Roster::none;
  if (verdict == Verdict::drop) {
    if (event.kind == Event::Kind::tell || event.kind == Event::Kind::ask) return false;
    if (call && call->kind == Call::Kind::ask && !call->local) return false;
  } else if (verdict == Verdict::kill_sender && has_sender) {
    (void)kill_actor(roster_.cell(event.from).address, killed);
  } else if (verdict == Verdict::kill_receiver_before) {
    (void)kill_actor(roster_.cell(event.to).address, killed);
  }
  if (roster_.node_of(roster_.cell(event.to)).state != SimulatedNode::State::dead) return true;
  if (event.kind == Event::Kind::answer || event.kind == Event::Kind::deadline)
    traffic_.close(event.id);
  return false;
}

void Simulation::deliver(Event event) {
  const Verdict found = verdict(event);
  if (!survives(event, found)) return;
  trace(event);
  Cell& cell = roster_.cell(event.to);
  if (cell.state == Cell::State::live && !cell.started) {
    cell.started = true;
    take_turn(cell, [](Behaviour& actor) { actor.started(); });
  }
  receive(cell, event);
  if (found == Verdict::kill_receiver_after)
    (void)kill_actor(cell.address, Error{Errc::unavailable, "killed by an observer"});
}

void Simulation::receive(Cell& cell, const Event& event) {
  const bool live = cell.state == Cell::State::live;
  switch (event.kind) {
    case Event::Kind::tell:
    case Event::Kind::ask: {
      Call* call = event.kind == Event::Kind::ask ? traffic_.find(event.id) : nullptr;
      if (call && !live) return traffic_.finish(event.id, *call, roster_.ask_failure(cell));
      if (!live) return;
      if (call) call->received = true;
      return take_turn(cell, [&](Behaviour& actor) {
        actor.received(roster_.cell(event.from).address, event.id, event.message);
      });
    }
    case Event::Kind::answer: {
      const Call call = *traffic_.find(event.id);
      traffic_.close(event.id);
      if (!live) return;
      return take_turn(cell, [&](Behaviour& actor) {
        if (call.kind == Call::Kind::ask)
          actor.answered(call.ask, event.message);
        else
          actor.down(call.address, event.message);
      });
    }
    case Event::Kind::deadline: {
      // The call goes on, for an answer that comes after all.
      const std::uint64_t ask = traffic_.find(event.id)->ask;
      if (!live) return traffic_.close(event.id);
      return take_turn(cell, [&](Behaviour& actor) { actor.answered(ask, event.message); });
    }
    case Event::Kind::timer:
      if (!live) return;
      return take_turn(cell, [&](Behaviour& actor) { actor.timer_fired(event.id); });
    default:
      return;
  }
}

template <class Turn>
void Simulation::take_turn(Cell& cell, Turn&& turn) {
  cell.in_turn = true;
  turn(*cell.behaviour);
  cell.in_turn = false;
  if (cell.state == Cell::State::ended)
    cell.behaviour.reset();  // Its node was killed in its turn.
  else if (cell.stop_reason)
    end(cell, *cell.stop_reason);
}

void Simulation::end(Cell& cell, const AnyMessage& reason) {
  if (cell.state != Cell::State::live) return;
  cell.state = Cell::State::stopping;
  cell.ended_at = now();
  cell.end = failure_of(reason);
  // Before its last turn, in which it drops its replies and would have them say less.
  traffic_.finish_all(cell, Call::Kind::ask, roster_.ask_failure(cell));
  if (cell.started) take_turn(cell, [&](Behaviour& actor) { actor.stopping(reason); });
  if (cell.state == Cell::State::ended) return;
  cell.state = Cell::State::ended;
  traffic_.finish_all(cell, Call::Kind::watch, roster_.down_message(cell));
  cell.behaviour.reset();
}

Status Simulation::kill_actor(const ActorAddress& actor, const Error& why) {
  const Cell* found = roster_.find(actor);
  if (!found || found->state != Cell::State::live)
    return Error{Errc::not_found, "killing " + to_string(actor) + ": no such actor lives"};
  Cell& cell = roster_.cell(found->index);
  if (cell.in_turn)
    cell.stop(to_failure(why));
  else
    end(cell, to_failure(why));
  return ok();
}

void Simulation::kill_node(NodeId id) {
  const std::uint32_t index = roster_.node_index(id);
  SimulatedNode& node = roster_.node(index);
  if (node.state == SimulatedNode::State::dead) return;
  node.state = SimulatedNode::State::dead;
  for (const std::uint32_t number : node.cells) {
    if (number == Roster::none || !roster_.cell(number).active()) continue;
    Cell& cell = roster_.cell(number);
    cell.state = Cell::State::ended;
    cell.ended_at = now();
    cell.end = Error{Errc::unavailable, "its node was killed"};
    if (!cell.in_turn) cell.behaviour.reset();
  }
  traffic_.unpark(node);
  silence(index);
}

void Simulation::pause_node(NodeId id) {
  const std::uint32_t index = roster_.node_index(id);
  SimulatedNode& node = roster_.node(index);
  if (node.state != SimulatedNode::State::running) return;
  node.state = SimulatedNode::State::paused;
  silence(index);
}

void Simulation::resume_node(NodeId id) {
  SimulatedNode& node = roster_.node(roster_.node_index(id));
  if (node.state != SimulatedNode::State::paused) return;
  node.state = SimulatedNode::State::running;
  ++node.faults;
  traffic_.unpark(node);
}

void Simulation::silence(std::uint32_t node) {
  const std::uint64_t fault = ++roster_.node(node).faults;
  traffic_.schedule(now() + traffic_.network().model().detection,
                    Event{.kind = Event::Kind::node_lost, .to = node, .id = fault});
}

void Simulation::check_node(std::uint32_t index, std::uint64_t fault) {
  SimulatedNode& node = roster_.node(index);
  if (node.faults != fault || node.lost) return;
  const Error why{Errc::unavailable,
                  node_text(node) + " was declared dead: it had been silent for too long"};
  std::vector<std::uint32_t> observers;
  for (std::uint32_t i = Network::outside + 1; i < roster_.node_count(); ++i)
    if (i != index && !traffic_.severed(i, index)) observers.push_back(i);
  node.lost = true;
  for (std::uint32_t i = 0; i < roster_.node_count(); ++i) traffic_.bounce_severed(i, why);
  for (const std::uint32_t observer : observers) report_lost(observer, index, why);
}

void Simulation::partition(NodeId left_id, NodeId right_id, bool apart) {
  const std::uint32_t left = roster_.node_index(left_id);
  const std::uint32_t right = roster_.node_index(right_id);
  traffic_.set_apart(left, right, apart);
  if (!apart) return;
  traffic_.schedule(now() + traffic_.network().model().detection,
                    Event{.kind = Event::Kind::pair_lost,
                          .from = left,
                          .to = right,
                          .id = traffic_.network().channel(left, right).partitions});
}

void Simulation::check_pair(std::uint32_t left, std::uint32_t right, std::uint64_t partition) {
  const Channel& channel = traffic_.network().channel(left, right);
  if (!channel.apart || channel.partitions != partition || traffic_.severed(left, right)) return;
  if (roster_.dead(left) || roster_.dead(right)) return;  // The next process has its own links.
  const Error why{Errc::unavailable, "the link between " + node_text(roster_.node(left)) + " and " +
                                         node_text(roster_.node(right)) +
                                         " had been silent for too long"};
  sever(roster_.node(left).id, roster_.node(right).id, why);
  report_lost(left, right, why);
  report_lost(right, left, why);
}

void Simulation::sever(NodeId left_id, NodeId right_id, const Error& why) {
  const std::uint32_t left = roster_.node_index(left_id);
  const std::uint32_t right = roster_.node_index(right_id);
  if (traffic_.severed(left, right)) return;
  traffic_.sever(left, right);
  traffic_.bounce_severed(left, why);
  traffic_.bounce_severed(right, why);
}

void Simulation::report_lost(std::uint32_t observer, std::uint32_t lost, const Error& why) {
  if (roster_.node(observer).state == SimulatedNode::State::dead) return;
  for (const LostHook& hook : lost_hooks_)
    hook(roster_.node(observer).id, roster_.node(lost).id, why);
}

void Simulation::trace(const Event& event) {
  constexpr std::size_t words_traced = 64;
  const Words& words = event.message.words;
  std::uint64_t hash = mix(trace_hash_, static_cast<std::uint64_t>(event.kind));
  hash = mix(hash, (static_cast<std::uint64_t>(event.from) << 32) | event.to);
  hash = mix(hash, event.message.type);
  hash = mix(hash, static_cast<std::uint64_t>(now().time_since_epoch().count()));
  for (std::size_t i = 0; i < std::min(words.count(), words_traced); ++i)
    hash = mix(hash, words.data()[i]);
  trace_hash_ = hash;
  ++deliveries_;
}

}  // namespace slime::runtime

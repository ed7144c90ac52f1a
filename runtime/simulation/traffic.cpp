#include "runtime/simulation/traffic.hpp"

#include <algorithm>
#include <utility>

#include "runtime/actor/failure.hpp"

namespace slime::runtime {

namespace {

bool is_message(Event::Kind kind) {
  return kind <= Event::Kind::answer;
}
bool is_for_actor(Event::Kind kind) {
  return kind <= Event::Kind::deadline;
}

AnyMessage unreachable(const ActorAddress& address) {
  return to_failure(Error{Errc::unavailable, "calling " + to_string(address) +
                                                 ": its node is unknown or was declared "
                                                 "dead, or never had such an actor"});
}

}  // namespace

void Traffic::tell(Cell& from, const ActorAddress& to, const AnyMessage& message) {
  const std::uint32_t target = roster_.resolve(to);
  if (target == Roster::none) return;
  send(from, roster_.cell(target), Lane::data,
       Event{.kind = Event::Kind::tell, .from = from.index, .to = target, .message = message});
}

void Traffic::ask(Cell& from, std::uint64_t ask, const ActorAddress& to, const AnyMessage& message,
                  Duration deadline) {
  const std::uint32_t target = roster_.resolve(to);
  const std::uint64_t id = calls_.open(Call{.kind = Call::Kind::ask,
                                            .asker = from.index,
                                            .target = target,
                                            .ask = ask,
                                            .address = to,
                                            .wait = deadline});
  Call& call = *calls_.find(id);
  call.deadline = push(now_ + std::max(deadline, Duration(0)),
                       Event{.kind = Event::Kind::deadline, .to = from.index, .id = id});
  if (target == Roster::none || severed(from.node, roster_.cell(target).node)) {
    bounce(id, call, unreachable(to));
    return;
  }
  send(from, roster_.cell(target), Lane::data,
       Event{.kind = Event::Kind::ask,
             .from = from.index,
             .to = target,
             .id = id,
             .message = message});
}

void Traffic::answer(Cell& from, std::uint64_t request, const AnyMessage& message) {
  Call* call = calls_.find(request);
  if (call && call->kind == Call::Kind::ask && call->target == from.index && call->received)
    finish(request, *call, message);
}

void Traffic::watch(Cell& from, const ActorAddress& target) {
  const std::uint32_t index = roster_.resolve(target);
  const std::uint64_t id = calls_.open(
      Call{.kind = Call::Kind::watch, .asker = from.index, .target = index, .address = target});
  Call& call = *calls_.find(id);
  if (index == Roster::none || severed(from.node, roster_.cell(index).node)) {
    bounce(id, call, unreachable(target));
    return;
  }
  const Cell& watched = roster_.cell(index);
  // The actors of a dead node cannot say so themselves: they are reported once it is found lost.
  if (!watched.active() && roster_.node_of(watched).state != SimulatedNode::State::dead)
    finish(id, call, roster_.down_message(watched));
}

void Traffic::start_timer(const Cell& of, std::uint64_t timer, Duration delay) {
  push(now_ + std::max(delay, Duration(0)),
       Event{.kind = Event::Kind::timer, .to = of.index, .id = timer});
}

std::optional<Instant> Traffic::next_time() {
  const EventQueue::Entry* top = queue_.top();
  return top ? std::optional(top->time) : std::nullopt;
}

std::optional<Event> Traffic::next() {
  const EventQueue::Entry entry = queue_.pop();
  now_ = std::max(now_, entry.time);
  if (put_aside(entry)) return std::nullopt;
  return take(entry.slot);
}

bool Traffic::put_aside(const EventQueue::Entry& entry) {
  const Event& event = queue_.at(entry.slot);
  if (!is_for_actor(event.kind)) return false;
  if (event.channel && severed(*event.channel)) {
    take(entry.slot);
    return true;
  }
  if (event.channel && event.channel->apart) {
    event.channel->held.push_back(entry);
    return true;
  }
  SimulatedNode& node = roster_.node_of(roster_.cell(event.to));
  switch (node.state) {
    case SimulatedNode::State::running:
      return false;
    case SimulatedNode::State::paused:
      node.parked.push_back(entry);
      return true;
    case SimulatedNode::State::dead:
      discard(entry.slot);
      return true;
  }
  return false;
}

void Traffic::discard(EventQueue::Slot slot) {
  const Event event = take(slot);
  // Nobody is left to hear how the call ended.
  const bool ends_call = event.kind == Event::Kind::answer || event.kind == Event::Kind::deadline;
  if (ends_call && calls_.find(event.id)) close(event.id);
}

void Traffic::close(std::uint64_t id) {
  const EventQueue::Slot deadline = calls_.find(id)->deadline;
  if (deadline != EventQueue::no_slot) queue_.cancel(deadline);
  calls_.close(id);
}

void Traffic::finish(std::uint64_t id, Call& call, const AnyMessage& message) {
  if (call.ended) return;
  call.ended = true;
  send(roster_.cell(call.target), roster_.cell(call.asker),
       call.kind == Call::Kind::ask ? Lane::data : Lane::control,
       Event{.kind = Event::Kind::answer,
             .from = call.target,
             .to = call.asker,
             .id = id,
             .message = message});
}

void Traffic::finish_all(const Cell& target, Call::Kind kind, const AnyMessage& message) {
  calls_.for_each(target.index, [&](std::uint64_t id, Call& call) {
    const bool due = kind == Call::Kind::watch || call.received;
    if (call.kind == kind && due) finish(id, call, message);
  });
}

void Traffic::bounce(std::uint64_t id, Call& call, const AnyMessage& failure) {
  if (call.local) return;
  call.ended = call.local = true;
  push(network_.local_arrival(now_, now_), Event{.kind = Event::Kind::answer,
                                                 .from = call.target,
                                                 .to = call.asker,
                                                 .id = id,
                                                 .message = failure});
}

void Traffic::send(Cell& from, const Cell& to, Lane lane, Event event) {
  if (from.node == to.node) {
    from.last_local = network_.local_arrival(from.last_local, now_);
    push(from.last_local, std::move(event));
    return;
  }
  Channel& channel = network_.channel(from.node, to.node);
  if (severed(channel)) return;
  const auto arrival = network_.arrival(channel, lane, event.message.words.bytes(), now_);
  if (!arrival) return;
  event.channel = &channel;
  push(*arrival, std::move(event));
}

void Traffic::set_apart(std::uint32_t left, std::uint32_t right, bool apart) {
  for (Channel* channel : {&network_.channel(left, right), &network_.channel(right, left)}) {
    channel->apart = apart;
    ++channel->partitions;
    if (apart) continue;
    for (const EventQueue::Entry& entry : std::exchange(channel->held, {})) queue_.put_back(entry);
  }
}

bool Traffic::severed(std::uint32_t left, std::uint32_t right) const {
  if (left == right) return false;
  return roster_.node(left).lost || roster_.node(right).lost || network_.severed(left, right);
}

bool Traffic::severed(const Channel& channel) const {
  return channel.severed || roster_.node(channel.from).lost || roster_.node(channel.to).lost;
}

void Traffic::sever(std::uint32_t left, std::uint32_t right) {
  for (Channel* channel : {&network_.channel(left, right), &network_.channel(right, left)}) {
    channel->severed = true;
    for (const EventQueue::Entry& entry : std::exchange(channel->held, {})) take(entry.slot);
  }
}

void Traffic::bounce_severed(std::uint32_t node, const Error& why) {
  const AnyMessage failure = to_failure(why);
  for (const std::uint32_t cell : roster_.node(node).cells) {
    if (cell == Roster::none) continue;
    calls_.for_each(cell, [&](std::uint64_t id, Call& call) {
      if (severed(roster_.cell(call.asker).node, node)) bounce(id, call, failure);
    });
  }
}

void Traffic::unpark(SimulatedNode& node) {
  for (const EventQueue::Entry& entry : std::exchange(node.parked, {})) {
    if (node.state == SimulatedNode::State::dead)
      discard(entry.slot);
    else
      queue_.put_back(entry);
  }
}

EventQueue::Slot Traffic::push(Instant time, Event event) {
  messages_ += is_message(event.kind);
  // A first turn precedes whatever else happens at its instant.
  const std::uint32_t tie =
      event.kind == Event::Kind::start ? 0 : static_cast<std::uint32_t>(random_.next()) | 1;
  return queue_.push(time, tie, std::move(event));
}

Event Traffic::take(EventQueue::Slot slot) {
  Event event = queue_.take(slot);
  messages_ -= is_message(event.kind);
  if (event.kind == Event::Kind::deadline)
    if (Call* call = calls_.find(event.id)) call->deadline = EventQueue::no_slot;
  return event;
}

}  // namespace slime::runtime

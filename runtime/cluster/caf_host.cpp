#include "runtime/cluster/caf_host.hpp"

#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/make_message.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/actor/failure.hpp"
#include "runtime/link/caf_error.hpp"
#include "runtime/link/link.hpp"

namespace slime::runtime {

const AnyMessage* message_in(const caf::type_erased_tuple& content) {
  if (!content.match_elements<AnyMessage>()) return nullptr;
  return &content.get_as<AnyMessage>(0);
}

bool CafHost::tell(const ActorAddress& to, const AnyMessage& message) noexcept {
  if (!actor_) return false;
  const Route route = router_.route(to);
  // A tell to the dead is lost, as it would be on the way.
  if (!route.actor) return true;
  if (!route.load) {
    const Status told =
        slime::runtime::tell(route.actor, caf::strong_actor_ptr(actor_->ctrl()), message);
    return told || told.error().code != Errc::overloaded;
  }
  if (route.load->full()) {
    tallies_.messages_refused.add();
    return false;
  }
  send(route.actor, caf::make_message_id(), message);
  return true;
}

void CafHost::ask(std::uint64_t ask, const ActorAddress& to, const AnyMessage& message,
                  Duration deadline) noexcept {
  Route route;
  if (actor_)
    route = router_.route(to);
  else
    route.dead = {Errc::invalid_argument, "asking " + to_string(to) + " in a constructor"};
  if (!route.actor) {
    later([this, ask, failure = to_failure(route.dead)] { behaviour_->answered(ask, failure); });
    return;
  }
  const caf::message_id request = actor_->new_request_id(caf::message_priority::normal);
  const std::uint64_t id = request.response_id().integer_value();
  const auto due = deadlines_.add(now() + deadline, {Deadlines::Due::What::ask, id});
  asks_.add(id, {ask, to, deadline, due});
  tallies_.asks_made.add();
  tallies_.asks_outstanding.add();
  arm();
  send(route.actor, request, message);
}

void CafHost::answer(std::uint64_t request, const AnyMessage& message) noexcept {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  send(found->second.sender, found->second.id.response_id(), message);
  requests_.erase(found);
}

void CafHost::start_timer(std::uint64_t timer, Duration delay) noexcept {
  deadlines_.add(now() + delay, {Deadlines::Due::What::timer, timer});
  arm();
}

void CafHost::watch(const ActorAddress& target) noexcept {
  if (!actor_) return later([this, target] { watch(target); });
  const Route route = router_.route(target);
  if (route.actor) {
    const caf::actor_addr addr = caf::actor_cast<caf::actor_addr>(route.actor);
    if (watched_.emplace(addr, target).second) actor_->monitor(addr);
    return;
  }
  const bool ours = target.node == address_.node && target.incarnation == address_.incarnation;
  const std::optional<Error> reason = ours ? router_.last_words(target) : route.dead;
  later([this, target, failure = reason ? to_failure(*reason) : AnyMessage{}] {
    behaviour_->down(target, failure);
  });
}

void CafHost::stop(const AnyMessage& reason) noexcept {
  if (!stop_reason_) stop_reason_ = reason;
}

void CafHost::start(caf::event_based_actor& actor) {
  actor_ = &actor;
  if (!stop_reason_) behaviour_->started();
  // What the constructor has left behind.
  if (!later_.empty()) wake();
  arm();
  quit_if_stopped();
}

void CafHost::take(caf::mailbox_element& element) {
  const caf::type_erased_tuple& content = element.content();
  if (element.mid.is_response()) {
    take_answer(element);
  } else if (const AnyMessage* message = message_in(content)) {
    load.remove(message->words.bytes());
    tallies_.messages_handled.add();
    std::uint64_t request = 0;
    if (element.mid.is_request() && element.sender) {
      request = ++last_request_;
      requests_.emplace(request, Request{element.sender, element.mid});
    }
    behaviour_->received(router_.address_of(element.sender), request, *message);
  } else if (content.match_elements<Wake>()) {
    take_wake();
  } else if (content.match_elements<Overdue>()) {
    take_overdue();
  } else if (content.match_elements<caf::down_msg>()) {
    take_death(content.get_as<caf::down_msg>(0));
  } else if (content.match_elements<caf::exit_msg>()) {
    const caf::error& reason = content.get_as<caf::exit_msg>(0).reason;
    stop(reason ? to_failure(from_caf(reason)) : AnyMessage{});
  } else if (element.mid.is_request()) {
    turn_away(element.sender, element.mid);
  }
  quit_if_stopped();
}

void CafHost::take_answer(caf::mailbox_element& element) {
  const auto pending = asks_.take(element.mid.integer_value());
  if (!pending) return;
  if (!pending->late) tallies_.asks_outstanding.remove();
  if (pending->due) deadlines_.remove(*pending->due);
  const caf::type_erased_tuple& content = element.content();
  if (const AnyMessage* message = message_in(content)) {
    behaviour_->answered(pending->ask, *message);
    return;
  }
  Error error{Errc::internal, "its answer is not a message"};
  if (content.match_elements<caf::error>()) error = from_caf(content.get_as<caf::error>(0));
  error.context = "asking " + to_string(pending->to) + ": " + error.context;
  behaviour_->answered(pending->ask, to_failure(error));
}

void CafHost::take_death(const caf::down_msg& death) {
  const auto found = watched_.find(death.source);
  if (found == watched_.end()) return;
  const ActorAddress target = found->second;
  watched_.erase(found);
  behaviour_->down(target, death.reason ? to_failure(from_caf(death.reason)) : AnyMessage{});
}

void CafHost::take_wake() {
  const Instant moment = now();
  if (armed_ && *armed_ <= moment) armed_.reset();
  // What these turns add waits for a turn of its own.
  for (std::size_t left = later_.size(); left > 0 && !stop_reason_; --left) {
    const auto turn = std::move(later_.front());
    later_.pop_front();
    turn();
  }
  while (!stop_reason_) {
    const auto due = deadlines_.take(moment);
    if (!due) break;
    if (due->what == Deadlines::Due::What::timer)
      behaviour_->timer_fired(due->id);
    else
      expire(due->id);
  }
  arm();
}

void CafHost::expire(std::uint64_t request) {
  asks_.set_due_passed(request);
  overdue_.push_back(request);
  if (overdue_.size() == 1)
    actor_->enqueue(nullptr, caf::make_message_id(), caf::make_message(Overdue{}),
                    actor_->context());
}

void CafHost::take_overdue() {
  for (const std::uint64_t request : std::exchange(overdue_, {})) {
    if (stop_reason_) return;
    time_out(request);
  }
}

void CafHost::time_out(std::uint64_t request) {
  const auto pending = asks_.keep_late(request);
  if (!pending) return;
  tallies_.asks_outstanding.remove();
  tallies_.asks_expired.add();
  char text[48];
  std::snprintf(text, sizeof text, ": no answer in %g s", to_seconds(pending->deadline));
  behaviour_->answered(pending->ask,
                       to_failure(Error{Errc::timeout, "asking " + to_string(pending->to) + text}));
}

void CafHost::later(std::function<void()> turn) {
  later_.push_back(std::move(turn));
  if (actor_ && later_.size() == 1) wake();
}

void CafHost::wake() {
  actor_->enqueue(nullptr, caf::make_message_id(caf::message_priority::high),
                  caf::make_message(Wake{}), actor_->context());
}

void CafHost::arm() {
  if (!actor_) return;
  const auto when = deadlines_.next_wake(armed_);
  if (!when) return;
  armed_ = when;
  caf::actor_clock& clock = actor_->home_system().clock();
  clock.schedule_message(
      clock.now() + std::max(*when - now(), Duration::zero()), actor_->ctrl(),
      caf::make_mailbox_element(nullptr, caf::make_message_id(caf::message_priority::high), {},
                                Wake{}));
}

void CafHost::quit_if_stopped() {
  if (!stop_reason_) return;
  const auto error = failure_of(*stop_reason_);
  actor_->quit(error ? to_caf(*error) : caf::error{});
}

void CafHost::finish() {
  const AnyMessage reason = stop_reason_.value_or(AnyMessage{});
  behaviour_->stopping(reason);
  // Before anybody hears of its end, so that whoever has finds them counted out.
  for (std::size_t left = asks_.clear(); left > 0; --left) tallies_.asks_outstanding.remove();
  router_.ended(address_, failure_of(reason));
  ended.store(true, std::memory_order_release);
  for (const auto& [number, request] : requests_) turn_away(request.sender, request.id);
  requests_.clear();
  later_.clear();
  // Last, because the replies it holds would answer in their own, less telling words.
  behaviour_.reset();
}

void CafHost::turn_away(const caf::strong_actor_ptr& sender, caf::message_id request) const {
  if (!sender || !request.is_request()) return;
  Error error{Errc::invalid_argument, "asking " + to_string(address_) + ": not a message of ours"};
  if (ended.load(std::memory_order_acquire)) error = router_.route(address_).dead;
  sender->enqueue(nullptr, request.response_id(), caf::make_message(to_failure(error)), nullptr);
}

}  // namespace slime::runtime

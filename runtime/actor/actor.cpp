#include "runtime/actor/actor.hpp"

#include <algorithm>
#include <exception>

namespace slime::runtime {

namespace {

// Between tries that fail at once: it keeps a dead target from being asked in a tight loop.
constexpr Duration pause_max = std::chrono::seconds(1);

// The lower bits of an ask's id count its tries; they start again after 18 hours of one a second.
constexpr std::uint64_t tries_mask = 0xffff;

bool worth_another_try(Errc code) {
  return code == Errc::timeout || code == Errc::unavailable || code == Errc::overloaded;
}

}  // namespace

template <class Turn>
void ActorBase::guarded(const char* what, Turn&& turn) noexcept {
  try {
    turn();
  } catch (const std::exception& exception) {
    host_.stop(to_failure(Error{Errc::internal, std::string("an exception escaped while ") + what +
                                                    ": " + exception.what()}));
  } catch (...) {
    host_.stop(to_failure(
        Error{Errc::internal, std::string("an unknown exception escaped while ") + what}));
  }
}

void ActorBase::started() noexcept {
  guarded("starting", [this] { on_start(); });
}

void ActorBase::received(const ActorAddress& sender, std::uint64_t request,
                         const AnyMessage& message) noexcept {
  guarded("handling a message", [&] {
    sender_ = sender;
    const auto handler = handlers_.find(message.type);
    if (handler != handlers_.end()) {
      handler->second(request, message);
    } else if (request != 0) {
      host_.answer(request, to_failure(Error{Errc::invalid_argument,
                                             "asking " + to_string(self()) +
                                                 ": it does not understand this message"}));
    } else {
      log(LogLevel::warning, "dropped a message of a type it does not understand");
    }
  });
}

void ActorBase::answered(std::uint64_t attempt, const AnyMessage& message) noexcept {
  guarded("handling an answer", [&] {
    const auto found = asks_.find(attempt & ~tries_mask);
    if (found == asks_.end()) return;
    const PendingAsk& ask = found->second;
    if (ask.again) {
      const auto error = failure_of(message);
      // The newest try decides: it finds the target as it is now.
      if (error && attempt != ask.newest) return;
      if (error && worth_another_try(error->code)) return try_later(found->first, ask);
    }
    // Taken out first: the callback may ask again or cancel.
    const Done done = std::move(found->second.done);
    asks_.erase(found);
    done(message);
  });
}

std::uint64_t ActorBase::next_id() {
  return last_id_ += tries_mask + 1;
}

void ActorBase::try_later(std::uint64_t id, const PendingAsk& ask) {
  const Duration left = std::min(ask.asked + ask.wait - now(), pause_max);
  if (left <= Duration::zero()) return try_again(id);
  after(left, [this, id] { try_again(id); });
}

void ActorBase::try_again(std::uint64_t id) {
  const auto found = asks_.find(id);
  if (found == asks_.end()) return;
  PendingAsk& ask = found->second;
  ask.newest = id | ((ask.newest + 1) & tries_mask);
  ask.wait = ask.retry.after(ask.wait);
  ask.asked = now();
  host_.ask(ask.newest, ask.to, ask.message, ask.wait);
}

void ActorBase::timer_fired(std::uint64_t id) noexcept {
  guarded("handling a timer", [&] {
    const auto found = timers_.find(id);
    if (found == timers_.end()) return;
    const auto done = std::move(found->second);
    timers_.erase(found);
    done();
  });
}

void ActorBase::down(const ActorAddress& target, const AnyMessage& failure) noexcept {
  guarded("handling the death of an actor", [&] {
    on_down(target, failure_of(failure).value_or(Error{Errc::unavailable, "it ended normally"}));
  });
}

void ActorBase::stopping(const AnyMessage&) noexcept {
  guarded("stopping", [this] { on_stop(); });
  cancel_all();
}

std::uint64_t ActorBase::start_ask(const ActorAddress& to, AnyMessage message, Retry retry,
                                   bool again, Done done) {
  const std::uint64_t id = next_id();
  const PendingAsk& ask = asks_
                              .emplace(id, PendingAsk{to, std::move(message), retry, again,
                                                      std::move(done), retry.first, now(), id})
                              .first->second;
  host_.ask(id, ask.to, ask.message, ask.wait);
  return id;
}

std::uint64_t ActorBase::after(Duration delay, std::function<void()> done) {
  const std::uint64_t id = next_id();
  timers_.emplace(id, std::move(done));
  host_.start_timer(id, delay);
  return id;
}

void ActorBase::cancel(std::uint64_t id) {
  asks_.erase(id);
  timers_.erase(id);
}

void ActorBase::cancel_asks_to(const ActorAddress& target) {
  std::erase_if(asks_, [&target](const auto& ask) { return ask.second.to == target; });
}

void ActorBase::cancel_all() {
  asks_.clear();
  timers_.clear();
}

}  // namespace slime::runtime

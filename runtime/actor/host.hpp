#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/clock.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/log_level.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

using slime::LogLevel;

/// What runs one actor: the CAF host in a node, or the simulation. One `Host` per actor; it
/// outlives its actor. Called only from within that actor's turns.
///
/// This and `Behaviour` are the whole boundary between an actor and the runtime. Only words, ids
/// and times cross it, and no exception does, so that an actor built by another compiler can stand
/// on the other side. Failures cross as messages of type `schema::Failure`.
class Host {
 public:
  virtual ~Host() = default;

  virtual ActorAddress self() const noexcept = 0;
  virtual Instant now() const noexcept = 0;

  /// Sends without an answer. False: a bound was reached and nothing was sent. Otherwise messages
  /// from one actor to another arrive in order, at most once; a lost link loses them silently.
  virtual bool tell(const ActorAddress& to, const AnyMessage& message) noexcept = 0;
  /// Sends and has `Behaviour::answered(ask, …)` called once: with the answer, or with a Failure
  /// once the deadline passes, the target or its node is dead, or a bound was reached. An answer
  /// that was there before the deadline's turn came counts as in time. After a timeout `answered`
  /// is called once more if the answer comes after all, for it may have cost a long transfer.
  virtual void ask(std::uint64_t ask, const ActorAddress& to, const AnyMessage& message,
                   Duration deadline) noexcept = 0;
  /// Answers request `request` of `Behaviour::received`. A second answer is ignored. Requests still
  /// unanswered when the actor ends are answered with a Failure by the host.
  virtual void answer(std::uint64_t request, const AnyMessage& message) noexcept = 0;

  /// Has `Behaviour::timer_fired(timer)` called once, not before `delay` has passed.
  virtual void start_timer(std::uint64_t timer, Duration delay) noexcept = 0;
  /// Has `Behaviour::down` called once when `target` ends or its node is declared dead; at once
  /// if it is dead already.
  virtual void watch(const ActorAddress& target) noexcept = 0;

  /// Ends the actor after the present turn. `reason` is a Failure, or no message for a normal end.
  virtual void stop(const AnyMessage& reason) noexcept = 0;

  virtual void log(LogLevel level, const char* text, std::size_t length) noexcept = 0;
};

/// What a host calls: one turn at a time, never concurrently. Nothing here throws; an exception in
/// an author's code becomes `Host::stop` with a Failure that has its text.
class Behaviour {
 public:
  virtual ~Behaviour() = default;

  /// Before the first message.
  virtual void started() noexcept = 0;
  /// @param request  0 for a tell, else the id to give to `Host::answer`.
  virtual void received(const ActorAddress& sender, std::uint64_t request,
                        const AnyMessage& message) noexcept = 0;
  virtual void answered(std::uint64_t ask, const AnyMessage& message) noexcept = 0;
  virtual void timer_fired(std::uint64_t timer) noexcept = 0;
  virtual void down(const ActorAddress& target, const AnyMessage& failure) noexcept = 0;
  /// After the last message; `reason` as in `Host::stop`. The behaviour is destroyed next.
  virtual void stopping(const AnyMessage& reason) noexcept = 0;
};

}  // namespace slime::runtime

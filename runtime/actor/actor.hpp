#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/actor/failure.hpp"
#include "runtime/actor/host.hpp"
#include "runtime/actor/protocol.hpp"
#include "runtime/actor/retry.hpp"
#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

/// The duty to answer one request. Movable; may be kept and used in a later turn of the same actor.
/// Dropped unanswered, it answers with a Failure, so that no caller waits for nothing.
template <class T>
class Reply {
 public:
  Reply(Host& host, std::uint64_t request) : host_(&host), request_(request) {}
  Reply(Reply&& other) noexcept : host_(other.host_), request_(std::exchange(other.request_, 0)) {}
  Reply& operator=(Reply&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(request_, other.request_);
    return *this;
  }
  ~Reply() {
    if (request_ != 0) fail(Error{Errc::internal, "the actor dropped the request unanswered"});
  }

  void send(const Message<T>& answer) { finish(answer.any()); }
  void fail(const Error& error) { finish(to_failure(error)); }

 private:
  void finish(const AnyMessage& message) {
    if (request_ != 0) host_->answer(std::exchange(request_, 0), message);
  }

  Host* host_;
  std::uint64_t request_;
};

/// The part of every actor that does not depend on its protocol: dispatch by message type, asks,
/// timers, watches and the lifecycle hooks. All members are for the actor's own turns.
class ActorBase : public Behaviour {
 public:
  ActorBase(const ActorBase&) = delete;
  ActorBase& operator=(const ActorBase&) = delete;

 protected:
  explicit ActorBase(Host& host) : host_(host) {}

  // Lifecycle hooks, for authors to override.

  /// Before the first message; may ask, tell, watch and start timers, as the constructor may not.
  virtual void on_start() {}
  /// A watched actor ended.
  virtual void on_down(const ActorAddress&, const Error&) {}
  /// After the last message. No ask or timer started here is answered.
  virtual void on_stop() {}

  ActorAddress self() const { return host_.self(); }
  Instant now() const { return host_.now(); }
  /// Sender of the message being handled.
  const ActorAddress& sender() const { return sender_; }

  /// Sends without an answer; errors: overloaded (nothing was sent).
  template <class P, class Q>
  Status tell(const Ref<P>& to, const Message<Q>& message) {
    static_assert(P::template tells<Q>, "the target does not understand this message as a tell");
    if (host_.tell(to.address, message.any())) return ok();
    return Error{Errc::overloaded, "telling " + to_string(to.address) + ": its queue is full"};
  }

  /// Sends and calls `done` once in a later turn with the answer or the reason there is none.
  /// Returns an id for `cancel`.
  template <class P, class Q, class Done>
  std::uint64_t ask(const Ref<P>& to, const Message<Q>& message, Duration deadline, Done done) {
    static_assert(P::template asks<Q>, "the target does not understand this message as an ask");
    using Answer = typename P::template Answer<Q>;
    return start_ask(to.address, message.any(), deadline, false, typed<Answer>(std::move(done)));
  }

  /// As `ask`, but asks again when a try is not answered within its time, which `retry` says, or,
  /// when that has passed or a second has, if its answer is timeout, unavailable or overloaded. For
  /// requests that the target treats as idempotent. Ends with the answer to any of its tries,
  /// however late; with another error of the newest; or by `cancel`. Give a large message, or one
  /// with a large answer, the time that its transfer may take already at first, or it is sent
  /// several times.
  template <class P, class Q, class Done>
  std::uint64_t ask_until_answered(const Ref<P>& to, const Message<Q>& message, Retry retry,
                                   Done done) {
    static_assert(P::template asks<Q>, "the target does not understand this message as an ask");
    using Answer = typename P::template Answer<Q>;
    return start_ask(to.address, message.any(), retry, true, typed<Answer>(std::move(done)));
  }

  /// Calls `done` in a later turn, once `delay` has passed. Returns an id for `cancel`.
  std::uint64_t after(Duration delay, std::function<void()> done);

  /// Forgets an ask or a timer: its `done` is not called and is destroyed. Unknown ids are ignored.
  void cancel(std::uint64_t id);
  /// Forgets every ask to `target`, as `cancel` does.
  void cancel_asks_to(const ActorAddress& target);
  /// Forgets every ask and timer.
  void cancel_all();

  /// Has `on_down` called when `target` ends.
  template <class P>
  void watch(const Ref<P>& target) {
    host_.watch(target.address);
  }

  /// Ends this actor after the present turn: normally, or as failed.
  void stop() { host_.stop(AnyMessage{}); }
  void stop(const Error& error) { host_.stop(to_failure(error)); }

  void log(LogLevel level, std::string_view text) { host_.log(level, text.data(), text.size()); }

  using Handler = std::function<void(std::uint64_t request, const AnyMessage&)>;
  void handle(std::uint64_t type, Handler handler) { handlers_[type] = std::move(handler); }
  Host& host() { return host_; }

 private:
  using Done = std::function<void(const AnyMessage&)>;

  struct PendingAsk {
    ActorAddress to;
    AnyMessage message;
    Retry retry;
    bool again;
    Done done;
    Duration wait;         ///< How long the newest try waits for an answer.
    Instant asked;         ///< When it began.
    std::uint64_t newest;  ///< What the host knows that try by.
  };

  template <class Answer, class Callback>
  static Done typed(Callback done) {
    return [done = std::move(done)](const AnyMessage& message) mutable {
      if (auto error = failure_of(message)) {
        done(Result<Message<Answer>>(std::move(*error)));
        return;
      }
      done(Message<Answer>::from(message));
    };
  }

  void started() noexcept final;
  void received(const ActorAddress& sender, std::uint64_t request,
                const AnyMessage& message) noexcept final;
  void answered(std::uint64_t ask, const AnyMessage& message) noexcept final;
  void timer_fired(std::uint64_t timer) noexcept final;
  void down(const ActorAddress& target, const AnyMessage& failure) noexcept final;
  void stopping(const AnyMessage& reason) noexcept final;

  std::uint64_t start_ask(const ActorAddress& to, AnyMessage message, Retry retry, bool again,
                          Done done);
  std::uint64_t next_id();
  void try_later(std::uint64_t id, const PendingAsk& ask);
  void try_again(std::uint64_t id);
  template <class Turn>
  void guarded(const char* what, Turn&& turn) noexcept;

  Host& host_;
  ActorAddress sender_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, Handler> handlers_;
  std::unordered_map<std::uint64_t, PendingAsk> asks_;
  std::unordered_map<std::uint64_t, std::function<void()>> timers_;
};

/// Base of an actor that understands protocol `P`. Its constructor registers one handler for every
/// entry of the protocol with `on` and takes the actor's spec:
///
///     class Counter : public Actor<CounterProtocol> {
///      public:
///       Counter(Host& host, const Message<schema::CounterSpec>& spec) : Actor(host) {
///         on(&Counter::add);    // void add(const Message<schema::Add>&)
///         on(&Counter::read);   // void read(const Message<schema::Read>&, Reply<schema::Count>)
///       }
///     };
///
/// An exception that escapes a handler ends the actor; its supervisor decides what follows.
template <class P>
class Actor : public ActorBase {
 public:
  using Understands = P;

 protected:
  using ActorBase::ActorBase;

  Ref<P> self_ref() const { return Ref<P>{self()}; }

  template <class Self, class Q>
  void on(void (Self::*handler)(const Message<Q>&)) {
    static_assert(P::template tells<Q>, "not a tell of this actor's protocol");
    handle(type_id<Q>(), [this, handler](std::uint64_t, const AnyMessage& message) {
      (static_cast<Self*>(this)->*handler)(Message<Q>::adopt(message.words));
    });
  }

  template <class Self, class Q, class A>
  void on(void (Self::*handler)(const Message<Q>&, Reply<A>)) {
    static_assert(std::is_same_v<typename P::template Answer<Q>, A>,
                  "not an ask of this actor's protocol, or another answer");
    handle(type_id<Q>(), [this, handler](std::uint64_t request, const AnyMessage& message) {
      (static_cast<Self*>(this)->*handler)(Message<Q>::adopt(message.words),
                                           Reply<A>(host(), request));
    });
  }
};

}  // namespace slime::runtime

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/actor/actor.hpp"
#include "runtime/actor/call_once.hpp"
#include "runtime/actor/kept_replies.hpp"
#include "runtime/actor/state_protocol.hpp"
#include "runtime/actor/state_version.hpp"

namespace slime::runtime {

/// What a durable actor says of its state.
struct Durability {
  /// Under which the state is kept: 1 to 256 bytes without a zero byte. Two actors that live under
  /// one name fence each other: the later one goes on.
  std::string name;
  /// Of the state's schema, raised by its author for changes that need an upcaster.
  std::uint32_t version = 1;
  std::vector<Upcaster> upcasters = {};
  ReplyLimits replies = {};
  std::size_t state_bytes_max = std::size_t{16} << 20;
  std::size_t reply_bytes_max = std::size_t{16} << 10;
  /// Messages that wait for the state to be there, and answers that wait for one write. More are
  /// refused as overloaded.
  std::size_t waiting_max = 1000;
};

/// The part of every durable actor that does not depend on its protocol: when its state is loaded
/// and written, and who may hear of what. All members are for the actor's own turns.
class DurableBase : public ActorBase {
 protected:
  using Change = std::function<Result<AnyMessage>(const AnyMessage&, const CallId&)>;
  using View = std::function<Result<AnyMessage>(const AnyMessage&)>;

  /// @param state_type  Cap'n Proto id of the state's schema.
  DurableBase(Host& host, std::uint64_t state_type, Durability durability);

  // Lifecycle hooks, for authors to override.

  /// The state is there, or there is none yet: the first message follows.
  virtual void on_ready() {}

  /// Sender of the message being handled.
  const ActorAddress& sender() const { return sender_; }
  /// Has the present state written, for changes that no call has made: a timer's, a tell's.
  void keep();
  /// Calls `done` once all that was changed so far is durable, at once if it is. Not called when
  /// the actor ends before.
  void when_kept(std::function<void()> done);

  virtual AnyMessage write_state() const = 0;
  virtual Status read_state(const AnyMessage& state) = 0;
  void understand(std::uint64_t type, std::variant<Change, View, Handler> handler);

 private:
  struct Arrived {
    ActorAddress sender;
    std::uint64_t request;
    CallId id;
    AnyMessage message;
  };
  /// What a write makes durable or lets be said.
  struct Batch {
    std::vector<std::pair<std::uint64_t, AnyMessage>> answers;
    std::vector<std::function<void()>> done;
    std::vector<std::pair<CallId, AnyMessage>> replies;
    std::vector<CallId> forgotten;
  };

  void on_start() final;
  void receive(Arrived arrived);
  void receive_once(std::uint64_t request, const AnyMessage& message);
  void run(const Arrived& arrived);
  void carry_out(const Change& change, const Arrived& arrived);
  void repeat(std::uint64_t request, const KeptReplies::Reply& reply);
  /// Answers once all that was changed before is durable.
  void settle(std::uint64_t request, const AnyMessage& message);
  void wait_with(Batch& batch, std::uint64_t request, const AnyMessage& message);
  Error too_many_wait() const;
  void answer(std::uint64_t request, const AnyMessage& message);

  void load();
  void restore(const Message<schema::LoadedState>& loaded);
  void write();
  void written();
  Message<schema::SaveState> describe(const AnyMessage& state) const;

  /// Asks the state store until it answers, wherever it is by then; any other error ends the actor.
  template <class Q, class A>
  void ask_store(const Message<Q>& request, std::function<void(const Message<A>&)> done);
  void find_store(std::function<void()> done);
  void end(const Error& why);

  const std::uint64_t state_type_;
  const Durability durability_;
  std::unordered_map<std::uint64_t, std::variant<Change, View, Handler>> handlers_;
  ActorAddress sender_;
  std::deque<Arrived> early_;  // Came before the state.
  bool ready_ = false;
  bool ended_ = false;

  ActorAddress store_;
  std::uint64_t generation_ = 0;
  KeptReplies replies_;
  std::uint64_t write_ = 0;  // The newest that was begun.
  bool writing_ = false;     // It is under way, with `present_`.
  bool changed_ = false;     // Since it was begun; `next_` goes with the next one.
  Batch present_, next_;
};

/// Base of an actor whose state outlives it: started again under the same name, on whatever node,
/// it has the state back before it handles anything. The state and the answers to the calls that
/// changed it are kept in one step, and nobody is answered before that; so a call with an id takes
/// effect once, however often it is sent and whatever dies. `P` is the actor's protocol, `S` the
/// schema of its state. Each write keeps the whole state, so it should be small.
///
///     class Counter : public DurableActor<CounterProtocol, schema::CounterState> {
///      public:
///       Counter(Host& host, const Message<schema::CounterSpec>& spec)
///           : DurableActor(host, {.name = name_in(spec)}) {
///         on(&Counter::add);   // Result<Message<schema::Count>> add(const Message<schema::Add>&,
///                              //                                    const CallId&)
///         on(&Counter::read);  // Result<Message<schema::Count>> read(const
///         Message<schema::Read>&)
///                              //                                     const
///       }
///     };
///
/// An exception that escapes a handler ends the actor, and so does a write that fails: what was not
/// kept was told to nobody, and its supervisor starts it again from what is kept.
template <class P, class S>
class DurableActor : public DurableBase {
 public:
  using Understands = P;

 protected:
  DurableActor(Host& host, Durability durability)
      : DurableBase(host, type_id<S>(), std::move(durability)) {}

  /// The state as it is now. Called for each write, which may serve several changes.
  virtual Message<S> state() const = 0;
  /// Takes up a state that was kept; not called when there is none.
  virtual void on_restore(const Message<S>& state) = 0;

  Ref<P> self_ref() const { return Ref<P>{self()}; }

  /// A handler that changes the state. What it returns is kept and then answered; an error says
  /// that it changed nothing, and a repeated call is tried again. The id is empty for a call
  /// without one, which takes effect each time it comes.
  template <class Self, class Q, class A>
  void on(Result<Message<A>> (Self::*handler)(const Message<Q>&, const CallId&)) {
    static_assert(answered_by<Q, A>, "not an ask of this actor's protocol, or another answer");
    understand(type_id<Q>(), Change([this, handler](const AnyMessage& any,
                                                    const CallId& id) -> Result<AnyMessage> {
                 const auto message = Message<Q>::checked(any);
                 if (!message) return message.error();
                 return untyped((static_cast<Self*>(this)->*handler)(*message, id));
               }));
  }

  /// A handler that only looks. Its answer waits until what it has seen is durable.
  template <class Self, class Q, class A>
  void on(Result<Message<A>> (Self::*handler)(const Message<Q>&) const) {
    static_assert(answered_by<Q, A>, "not an ask of this actor's protocol, or another answer");
    understand(type_id<Q>(), View([this, handler](const AnyMessage& any) -> Result<AnyMessage> {
                 const auto message = Message<Q>::checked(any);
                 if (!message) return message.error();
                 return untyped((static_cast<const Self*>(this)->*handler)(*message));
               }));
  }

  /// A handler of a tell. If it changes the state it calls `keep`; a tell that came when the actor
  /// died is lost, as any is.
  template <class Self, class Q>
  void on(void (Self::*handler)(const Message<Q>&)) {
    static_assert(P::template tells<Q>, "not a tell of this actor's protocol");
    understand(type_id<Q>(), Handler([this, handler](std::uint64_t, const AnyMessage& any) {
                 (static_cast<Self*>(this)->*handler)(Message<Q>::adopt(any.words));
               }));
  }

 private:
  template <class Q, class A>
  static constexpr bool answered_by = std::is_same_v<typename P::template Answer<Q>, A>;

  template <class A>
  static Result<AnyMessage> untyped(const Result<Message<A>>& answer) {
    if (!answer) return answer.error();
    return answer->any();
  }

  AnyMessage write_state() const final { return state().any(); }
  Status read_state(const AnyMessage& any) final {
    const auto kept = Message<S>::checked(any);
    if (!kept) return kept.error();
    on_restore(*kept);
    return ok();
  }
};

}  // namespace slime::runtime

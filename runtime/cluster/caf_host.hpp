#pragma once

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/actor/host.hpp"
#include "runtime/cluster/deadlines.hpp"
#include "runtime/cluster/mailbox_load.hpp"
#include "runtime/cluster/pending_asks.hpp"
#include "runtime/cluster/router.hpp"
#include "runtime/link/caf_message.hpp"

namespace slime::runtime {

/// What a host sends to itself so as to get a turn.
struct Wake {};
/// What it sends to itself behind everything in the mailbox: answers that are there come first.
struct Overdue {};

/// The message of ours that `content` is, valid as long as it; null for what CAF itself sends.
const AnyMessage* message_in(const caf::type_erased_tuple& content);

/// The actor's side of the boundary. Everything but construction happens in the CAF actor's turns.
/// Calls from the behaviour's constructor, before there is a CAF actor, are refused or take effect
/// in the first turn.
class CafHost final : public Host {
 public:
  CafHost(Router& router, const ActorAddress& address, MailboxBound bound)
      : load(bound), router_(router), tallies_(router.tallies()), address_(address) {}

  void adopt(std::unique_ptr<Behaviour> behaviour) { behaviour_ = std::move(behaviour); }

  ActorAddress self() const noexcept override { return address_; }
  Instant now() const noexcept override { return monotonic_now(); }
  bool tell(const ActorAddress& to, const AnyMessage& message) noexcept override;
  void ask(std::uint64_t ask, const ActorAddress& to, const AnyMessage& message,
           Duration deadline) noexcept override;
  void answer(std::uint64_t request, const AnyMessage& message) noexcept override;
  void start_timer(std::uint64_t timer, Duration delay) noexcept override;
  void watch(const ActorAddress& target) noexcept override;
  void stop(const AnyMessage& reason) noexcept override;
  void log(LogLevel level, const char* text, std::size_t length) noexcept override {
    router_.log(address_, level, std::string_view(text, length));
  }

  /// The first turn.
  void start(caf::event_based_actor& actor);
  /// One turn: whatever came to the mailbox.
  void take(caf::mailbox_element& element);
  /// The last turn.
  void finish();
  /// Answers a request that came too late; any thread, once `finish` is done.
  void turn_away(const caf::strong_actor_ptr& sender, caf::message_id request) const;

  /// Counts a message that was refused because the mailbox was full; any thread.
  void count_refused() { tallies_.messages_refused.add(); }

  MailboxLoad load;
  std::atomic<bool> ended = false;  ///< Set by `finish`.

 private:
  struct Request {
    caf::strong_actor_ptr sender;
    caf::message_id id;
  };

  void take_answer(caf::mailbox_element& element);
  void take_death(const caf::down_msg& death);
  void take_wake();
  void take_overdue();
  void expire(std::uint64_t request);
  void time_out(std::uint64_t request);
  void later(std::function<void()> turn);
  void wake();
  void arm();
  void quit_if_stopped();
  void send(const caf::strong_actor_ptr& to, caf::message_id id, const AnyMessage& message) {
    to->enqueue(actor_->ctrl(), id, caf::make_message(message), actor_->context());
  }

  Router& router_;
  ActorTallies& tallies_;
  const ActorAddress address_;
  caf::event_based_actor* actor_ = nullptr;  // Null until the first turn.
  std::unique_ptr<Behaviour> behaviour_;
  PendingAsks asks_;                                     // By CAF's id of the answer.
  std::unordered_map<std::uint64_t, Request> requests_;  // By the id the actor knows.
  std::uint64_t last_request_ = 0;
  std::unordered_map<caf::actor_addr, ActorAddress> watched_;
  Deadlines deadlines_;
  std::optional<Instant> armed_;
  std::vector<std::uint64_t> overdue_;  ///< Asks whose deadline has passed; `Overdue` is sent.
  std::deque<std::function<void()>> later_;
  std::optional<AnyMessage> stop_reason_;
};

}  // namespace slime::runtime

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(slime::runtime::Wake)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(slime::runtime::Overdue)

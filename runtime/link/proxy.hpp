#pragma once

#include <caf/actor_proxy.hpp>

#include <cstdint>
#include <memory>

#include "runtime/link/outbox.hpp"
#include "runtime/link/peer.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

/// Number under which a node asks on behalf of an actor of another node; no actor has it.
constexpr std::uint64_t relay_number = ~std::uint64_t{0};

/// Stands for an actor of another node: `send`, `request`, `monitor`, `link_to` and exit signals
/// work on it as on any handle. Messages of other kinds are refused: requests with an error, the
/// rest counted and dropped. Made by `Peer::proxy` only. Any thread; never blocks.
class Proxy final : public caf::actor_proxy {
 public:
  Proxy(caf::actor_config& config, std::shared_ptr<Peer> peer, std::uint64_t number);

  ActorAddress address() const { return peer_->address(number_); }

  /// Sends without expecting an answer. Errors: overloaded, unavailable, invalid_argument.
  Status tell(const caf::strong_actor_ptr& sender, const AnyMessage& message);

  // CAF's side.
  const char* name() const override { return "slime.proxy"; }
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* unit) override;
  void attach(caf::attachable_ptr observer) override;
  bool add_backlink(caf::abstract_actor* other) override;
  void kill_proxy(caf::execution_unit* unit, caf::error reason) override;
  void on_destroy() override;

 private:
  Status send(const caf::strong_actor_ptr& sender, caf::message_id id, const AnyMessage& message);
  void ask(const caf::strong_actor_ptr& sender, caf::message_id id, const AnyMessage& message);
  void send_failed(caf::message_id id, const caf::error& error);
  void send_exit(const caf::actor_addr& source, const caf::error& reason);
  void refuse(caf::mailbox_element& what, const Error& why);
  std::unique_ptr<Outgoing> frame(caf::message_id id, const AnyMessage& message) const;
  ActorAddress address_of(const caf::strong_actor_ptr& actor) const;

  const std::shared_ptr<Peer> peer_;
  const std::uint64_t number_;
};

/// The proxy that `actor` is, null if it is an actor of this process.
Proxy* as_proxy(const caf::strong_actor_ptr& actor);

}  // namespace slime::runtime

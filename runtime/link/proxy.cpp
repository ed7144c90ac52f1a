#include "runtime/link/proxy.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/system_messages.hpp>

#include <string>
#include <utility>

#include "runtime/link/caf_error.hpp"
#include "runtime/link/caf_message.hpp"
#include "runtime/link/control.hpp"
#include "runtime/link/link_context.hpp"
#include "runtime/wire/address.hpp"

namespace slime::runtime {

Proxy::Proxy(caf::actor_config& config, std::shared_ptr<Peer> peer, std::uint64_t number)
    : caf::actor_proxy(config), peer_(std::move(peer)), number_(number) {}

void Proxy::enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) {
  const caf::message_id id = what->mid;
  const caf::type_erased_tuple& content = what->content();
  if (getf(is_terminated_flag)) {
    const caf::error reason = fail_state();
    return refuse(*what, {Errc::unavailable,
                          "it is down: " + (reason ? from_caf(reason).context : "it ended")});
  }
  if (!what->stages.empty())
    return refuse(*what, {Errc::invalid_argument, "a forwarding chain cannot cross nodes"});
  if (content.match_elements<AnyMessage>()) {
    const auto& message = content.get_as<AnyMessage>(0);
    if (id.is_request()) return ask(what->sender, id, message);
    if (const Status sent = send(what->sender, id, message); !sent) refuse(*what, sent.error());
  } else if (content.empty() && id.is_response()) {
    if (const Status sent = send(nullptr, id, {}); !sent) refuse(*what, sent.error());
  } else if (content.match_elements<caf::error>() && id.is_response()) {
    send_failed(id, content.get_as<caf::error>(0));
  } else if (content.match_elements<caf::exit_msg>()) {
    const auto& exit = content.get_as<caf::exit_msg>(0);
    send_exit(exit.source, exit.reason);
  } else {
    refuse(*what, {Errc::invalid_argument,
                   "it is not a message that crosses nodes: " + content.stringify()});
  }
}

Status Proxy::tell(const caf::strong_actor_ptr& sender, const AnyMessage& message) {
  Status sent = send(sender, caf::make_message_id(), message);
  if (sent) return sent;
  return Error{sent.error().code, "telling " + to_string(address()) + " on " + peer_->text() +
                                      ": " + sent.error().context};
}

std::unique_ptr<Outgoing> Proxy::frame(caf::message_id id, const AnyMessage& message) const {
  auto item = std::make_unique<Outgoing>();
  item->head.id = id.integer_value();
  item->head.type = message.type;
  item->head.target = number_;
  item->body = message.words;
  item->system = is_urgent(item->head.id, message.words.count());
  return item;
}

Status Proxy::send(const caf::strong_actor_ptr& sender, caf::message_id id,
                   const AnyMessage& message) {
  auto item = frame(id, message);
  if (sender && !id.is_response()) item->head.sender = address_of(sender);
  return peer_->send(std::move(item));
}

void Proxy::ask(const caf::strong_actor_ptr& sender, caf::message_id id,
                const AnyMessage& message) {
  auto item = frame(id, message);
  if (as_proxy(sender)) {
    // A request delegated by an actor of this node: the answer comes back this way, so that it is
    // known here whether one is still owed.
    LinkContext& context = peer_->context();
    const std::uint64_t flags = id.integer_value() & ~caf::message_id::request_id_mask;
    item->head.id = flags | (context.relays.fetch_add(1) + 1);
    const PeerIdentity& self = context.settings.self;
    item->head.sender = {self.node, self.incarnation, relay_number};
  } else {
    item->head.sender = address_of(sender);
  }
  peer_->ask(std::move(item), {sender, id.integer_value(), number_, 0});
}

ActorAddress Proxy::address_of(const caf::strong_actor_ptr& actor) const {
  if (const Proxy* proxy = as_proxy(actor)) return proxy->address();
  return peer_->context().locals.address_of(actor);
}

void Proxy::send_failed(caf::message_id id, const caf::error& error) {
  auto item = control_frame(true, [&](schema::LinkControl::Builder out) {
    auto failed = out.initFailed();
    failed.setTarget(number_);
    failed.setId(id.integer_value());
    write_failure(error, failed.initError());
  });
  // As many as the peer asks, who might never read them.
  item->refusable = true;
  (void)peer_->send(std::move(item));
}

void Proxy::send_exit(const caf::actor_addr& source, const caf::error& reason) {
  const auto sender = caf::actor_cast<caf::strong_actor_ptr>(source);
  auto item = control_frame(true, [&](schema::LinkControl::Builder out) {
    auto exit = out.initExit();
    exit.setTarget(number_);
    if (sender) write_address(exit.initSource(), address_of(sender));
    write_failure(reason, exit.initFailing());
  });
  // As many as our own actors send.
  item->refusable = true;
  (void)peer_->send(std::move(item));
}

void Proxy::refuse(caf::mailbox_element& what, const Error& why) {
  const caf::error error = to_caf(
      {why.code, "calling " + to_string(address()) + " on " + peer_->text() + ": " + why.context});
  if (what.mid.is_request() && what.sender)
    what.sender->enqueue(nullptr, what.mid.response_id(), caf::make_message(error), nullptr);
  else if (what.mid.is_response())
    send_failed(what.mid, error);
  else
    peer_->traffic().messages_dropped.add();
}

void Proxy::attach(caf::attachable_ptr observer) {
  actor_proxy::attach(std::move(observer));
  if (!getf(is_terminated_flag)) peer_->watch(ctrl());
}

bool Proxy::add_backlink(caf::abstract_actor* other) {
  if (!actor_proxy::add_backlink(other)) return false;
  peer_->watch(ctrl());
  return true;
}

void Proxy::kill_proxy(caf::execution_unit* unit, caf::error reason) {
  cleanup(std::move(reason), unit);
}

void Proxy::on_destroy() {
  peer_->forget(number_);
  actor_proxy::on_destroy();
}

Proxy* as_proxy(const caf::strong_actor_ptr& actor) {
  if (!actor || actor->node() == actor->get()->home_system().node()) return nullptr;
  return dynamic_cast<Proxy*>(actor->get());
}

}  // namespace slime::runtime

#include "runtime/link/inbound.hpp"

#include <kj/exception.h>
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/system_messages.hpp>

#include <utility>

#include "runtime/link/caf_error.hpp"
#include "runtime/link/control.hpp"
#include "runtime/link/mailbox_element.hpp"
#include "runtime/wire/address.hpp"

namespace slime::runtime {

Inbound::Inbound(std::shared_ptr<LinkContext> context, std::shared_ptr<Peer> peer,
                 std::function<void(std::string)> on_goodbye)
    : context_(std::move(context)),
      peer_(std::move(peer)),
      credits_(std::make_shared<CreditAccount>(peer_, context_->settings.credit_bytes)),
      on_goodbye_(std::move(on_goodbye)) {}

Status Inbound::on_message(const MessageHead& head, Words words) {
  peer_->traffic().messages_in.add();
  const std::size_t count = words.count();
  // Both sides know by the same rule which messages count.
  CreditDebt debt =
      is_urgent(head.id, count) ? CreditDebt() : CreditDebt(credits_, message_cost(count));
  AnyMessage message{head.type, std::move(words)};
  const caf::message_id id(head.id);
  if (id.is_response()) {
    deliver_answer(head, std::move(message), std::move(debt));
    return ok();
  }
  const caf::strong_actor_ptr target = context_->locals.find(head.target);
  if (!target) {
    if (id.is_request())
      answer_gone(head);
    else
      dropped();
    return ok();
  }
  caf::strong_actor_ptr sender;
  if (head.sender) sender = actor_at(context_, head.sender);
  target->enqueue(caf::mailbox_element_ptr(new MailboxElement(std::move(sender), id,
                                                              std::move(message), std::move(debt))),
                  &context_->brief_turns);
  return ok();
}

void Inbound::deliver_answer(const MessageHead& head, AnyMessage message, CreditDebt debt) {
  const auto asker =
      peer_->pending().take({head.target, head.id & caf::message_id::request_id_mask});
  if (!asker) return dropped();
  const caf::message_id id = caf::message_id(asker->id).response_id();
  // A void answer: no message at all, as CAF has it.
  if (message.type == 0)
    asker->actor->enqueue(nullptr, id, caf::message(), &context_->brief_turns);
  else
    asker->actor->enqueue(caf::mailbox_element_ptr(
                              new MailboxElement(nullptr, id, std::move(message), std::move(debt))),
                          &context_->brief_turns);
}

void Inbound::answer_gone(const MessageHead& head) {
  const PeerIdentity& self = context_->settings.self;
  const ActorAddress target{self.node, self.incarnation, head.target};
  const Error why = context_->locals.why_gone(head.target);
  const caf::error error = to_caf(
      {why.code, "asking " + to_string(target) + " on " + to_string(self) + ": " + why.context});
  auto item = control_frame(true, [&](schema::LinkControl::Builder out) {
    auto failed = out.initFailed();
    failed.setTarget(head.sender.number);
    failed.setId(caf::message_id(head.id).response_id().integer_value());
    write_failure(error, failed.initError());
  });
  item->refusable = true;
  (void)peer_->send(std::move(item));
}

Status Inbound::on_control(std::span<const std::uint64_t> words) {
  try {
    capnp::FlatArrayMessageReader reader(
        kj::arrayPtr(reinterpret_cast<const capnp::word*>(words.data()), words.size()),
        reader_options(words.size()));
    take(reader.getRoot<schema::LinkControl>());
    return ok();
  } catch (const kj::Exception& e) {
    return Error{Errc::corruption,
                 std::string("reading a control message: ") + e.getDescription().cStr()};
  }
}

void Inbound::take(schema::LinkControl::Reader control) {
  switch (control.which()) {
    case schema::LinkControl::HEARTBEAT:
      return;
    case schema::LinkControl::CREDIT:
      return peer_->outbox().add_credit(control.getCredit());
    case schema::LinkControl::GOODBYE:
      return on_goodbye_(control.getGoodbye());
    case schema::LinkControl::WATCH:
      return peer_->watched_by_peer(control.getWatch());
    case schema::LinkControl::DOWN: {
      const auto down = control.getDown();
      return peer_->actor_ended(down.getNumber(), read_failure(down.getReason()));
    }
    case schema::LinkControl::EXIT: {
      const auto exit = control.getExit();
      return take_exit(exit.getTarget(), read_address(exit.getSource()),
                       read_failure(exit.getFailing()));
    }
    case schema::LinkControl::FAILED: {
      const auto failed = control.getFailed();
      return take_failed(failed.getTarget(), failed.getId(), read_failure(failed.getError()));
    }
  }
  // A newer peer's control message: it is allowed to say more than we understand.
  context_->log(LogLevel::debug, "unknown control message from " + peer_->text());
}

void Inbound::take_failed(std::uint64_t target, std::uint64_t id, caf::error error) {
  const auto asker = peer_->pending().take({target, id & caf::message_id::request_id_mask});
  if (!asker) return dropped();
  asker->actor->enqueue(nullptr, caf::message_id(asker->id).response_id(),
                        caf::make_message(std::move(error)), nullptr);
}

void Inbound::take_exit(std::uint64_t target, const ActorAddress& source, caf::error reason) {
  const caf::strong_actor_ptr actor = context_->locals.find(target);
  if (!actor) return dropped();
  caf::strong_actor_ptr sender;
  if (source) sender = actor_at(context_, source);
  const auto id = caf::make_message_id(caf::message_priority::high);
  actor->enqueue(
      sender, id,
      caf::make_message(caf::exit_msg{caf::actor_cast<caf::actor_addr>(sender), std::move(reason)}),
      nullptr);
}

void Inbound::dropped() {
  peer_->traffic().messages_dropped.add();
}

}  // namespace slime::runtime

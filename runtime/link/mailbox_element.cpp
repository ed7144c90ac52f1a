#include "runtime/link/mailbox_element.hpp"

#include <tuple>
#include <utility>

namespace slime::runtime {

MailboxElement::MailboxElement(caf::strong_actor_ptr sender_actor, caf::message_id id,
                               AnyMessage message, CreditDebt debt)
    : caf::mailbox_element(std::move(sender_actor), id, {}),
      tuple_vals_impl(std::move(message)),
      debt_(std::move(debt)) {}

caf::message MailboxElement::move_content_to_message() {
  return caf::make_message(std::move(std::get<0>(data())));
}

caf::message MailboxElement::copy_content_to_message() const {
  return caf::make_message(std::get<0>(data()));
}

}  // namespace slime::runtime

#pragma once

#include <caf/mailbox_element.hpp>

#include "runtime/link/caf_message.hpp"
#include "runtime/link/credit_account.hpp"

namespace slime::runtime {

/// A message from another node in an actor's mailbox. CAF destroys the element when the handler
/// has returned (or the message was dropped, or its actor died), and that returns the credit. A
/// handler that keeps the message for later keeps its words, not the credit.
class MailboxElement final
    : public caf::mailbox_element,
      public caf::detail::tuple_vals_impl<caf::type_erased_tuple, AnyMessage> {
 public:
  MailboxElement(caf::strong_actor_ptr sender_actor, caf::message_id id, AnyMessage message,
                 CreditDebt debt);

  caf::type_erased_tuple& content() override { return *this; }
  const caf::type_erased_tuple& content() const override { return *this; }
  caf::message move_content_to_message() override;
  caf::message copy_content_to_message() const override;

 private:
  CreditDebt debt_;
};

}  // namespace slime::runtime

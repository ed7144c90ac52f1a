#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/link/credit_account.hpp"
#include "runtime/link/inbox.hpp"
#include "runtime/link/link_context.hpp"
#include "runtime/link/peer.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/link.capnp.h"

namespace slime::runtime {

/// Hands what arrives on one connection to its actors. Link's thread only.
class Inbound final : public FrameSink {
 public:
  /// @param on_goodbye  The peer leaves on purpose; gets its reason.
  Inbound(std::shared_ptr<LinkContext> context, std::shared_ptr<Peer> peer,
          std::function<void(std::string)> on_goodbye);

  Status on_message(const MessageHead& head, Words words) override;
  Status on_control(std::span<const std::uint64_t> words) override;

 private:
  void deliver_answer(const MessageHead& head, AnyMessage message, CreditDebt debt);
  void take(schema::LinkControl::Reader control);
  void take_failed(std::uint64_t target, std::uint64_t id, caf::error error);
  void take_exit(std::uint64_t target, const ActorAddress& source, caf::error reason);
  void answer_gone(const MessageHead& head);
  void dropped();

  const std::shared_ptr<LinkContext> context_;
  const std::shared_ptr<Peer> peer_;
  const std::shared_ptr<CreditAccount> credits_;
  const std::function<void(std::string)> on_goodbye_;
};

}  // namespace slime::runtime

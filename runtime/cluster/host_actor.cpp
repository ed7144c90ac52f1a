#include "runtime/cluster/host_actor.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/make_message.hpp>
#include <caf/system_messages.hpp>

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "runtime/actor/failure.hpp"
#include "runtime/cluster/caf_host.hpp"
#include "runtime/link/brief_turns.hpp"
#include "runtime/link/caf_error.hpp"

namespace slime::runtime {

namespace {

/// The CAF actor. It hands everything to its host; CAF's own behaviours and timeouts are not used.
class HostActor final : public caf::event_based_actor, public BriefActor {
 public:
  HostActor(caf::actor_config& config, Router& router, std::unique_ptr<CafHost> host, Turns turns)
      : caf::event_based_actor(config), host_(std::move(host)), turns_(turns) {
    // Before its first turn, in which it may give its address away.
    router.publish(host_->self(), caf::strong_actor_ptr(ctrl()), host_->load);
  }

  const char* name() const override { return "slime"; }
  bool has_brief_turns() const override { return turns_ == Turns::brief; }
  std::string text() const override { return "actor " + to_string(host_->self()); }
  ActorAddress address() const { return host_->self(); }

  using caf::event_based_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override {
    const AnyMessage* message =
        element->mid.is_response() ? nullptr : message_in(element->content());
    if (message) {
      if (host_->ended.load(std::memory_order_acquire)) {
        host_->turn_away(element->sender, element->mid);
        return;
      }
      if (element->mid.is_request() && host_->load.full()) {
        refuse(*element);
        return;
      }
      host_->load.add(message->words.bytes());
    }
    caf::event_based_actor::enqueue(std::move(element), unit);
  }

  caf::invoke_message_result consume(caf::mailbox_element& element) override {
    current_mailbox_element(&element);
    host_->take(element);
    return caf::invoke_message_result::consumed;
  }

  void on_exit() override { host_->finish(); }

  bool cleanup(caf::error&& reason, caf::execution_unit* unit) override {
    // CAF would bounce what is left in the mailbox without saying why.
    if (!mailbox().closed()) {
      mailbox().close();
      get_normal_queue().flush_cache();
      get_urgent_queue().flush_cache();
      Bouncer bouncer{host_.get()};
      while (mailbox().queue().new_round(1000, bouncer).consumed_items) {
      }
    }
    return caf::event_based_actor::cleanup(std::move(reason), unit);
  }

 protected:
  caf::behavior make_behavior() override {
    host_->start(*this);
    // Only there because CAF ends an actor without one.
    return caf::behavior{[](const Wake&) {}};
  }

 private:
  struct Bouncer {
    const CafHost* host;

    template <class Key, class Queue, class... Rest>
    caf::intrusive::task_result operator()(const Key&, const Queue&, const Rest&... rest) const {
      bounce(rest...);
      return caf::intrusive::task_result::resume;
    }
    void bounce(const caf::mailbox_element& element) const {
      host->turn_away(element.sender, element.mid);
    }
    template <class Slot, class Queue>
    void bounce(const Slot&, const Queue&, const caf::mailbox_element& element) const {
      bounce(element);
    }
  };

  void refuse(const caf::mailbox_element& element) {
    host_->count_refused();
    const Error error{Errc::overloaded,
                      "asking " + to_string(host_->self()) + ": its mailbox is full"};
    if (element.sender)
      element.sender->enqueue(nullptr, element.mid.response_id(),
                              caf::make_message(to_failure(error)), nullptr);
  }

  std::unique_ptr<CafHost> host_;
  const Turns turns_;
};

}  // namespace

Status spawn_hosted(caf::actor_system& system, Router& router, const ActorAddress& address,
                    const ActorType& type, const AnyMessage& spec, MailboxBound bound) {
  auto host = std::make_unique<CafHost>(router, address, bound);
  try {
    host->adopt(type.make(*host, spec));
  } catch (const std::exception& exception) {
    return Error{Errc::internal, std::string("its constructor threw: ") + exception.what()};
  } catch (...) {
    return Error{Errc::internal, "its constructor threw something that is not an exception"};
  }
  if (type.turns == Turns::blocking)
    system.spawn<HostActor, caf::detached>(router, std::move(host), type.turns);
  else
    system.spawn<HostActor>(router, std::move(host), type.turns);
  return ok();
}

void end_hosted(const caf::strong_actor_ptr& actor, const std::optional<Error>& reason) {
  actor->enqueue(nullptr, caf::make_message_id(caf::message_priority::high),
                 caf::make_message(caf::exit_msg{nullptr, reason ? to_caf(*reason) : caf::error{}}),
                 nullptr);
}

std::optional<ActorAddress> hosted_address(const caf::strong_actor_ptr& actor) {
  const auto hosted = dynamic_cast<const HostActor*>(actor->get());
  if (!hosted) return std::nullopt;
  return hosted->address();
}

}  // namespace slime::runtime

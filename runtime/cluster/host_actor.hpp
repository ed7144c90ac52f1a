#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

#include <optional>

#include "runtime/actor/catalogue.hpp"
#include "runtime/cluster/router.hpp"

namespace slime::runtime {

/// Runs one actor of `type` on a CAF event-based actor, on the threads that its `Turns` ask for.
/// The actor's constructor runs in the calling thread; everything after in its turns.
///
/// Above `bound` a tell is refused at its sender and a request is answered overloaded; answers,
/// deaths and timers always get in. When the actor ends, for whatever reason, every request it has
/// not answered, in hand or still in its mailbox, is answered with why.
///
/// @param router  Must outlive the actor; `Router::publish` is called before the first turn.
/// Errors: internal, with the exception's text, when the constructor threw.
Status spawn_hosted(caf::actor_system& system, Router& router, const ActorAddress& address,
                    const ActorType& type, const AnyMessage& spec, MailboxBound bound);

/// Ends an actor that `spawn_hosted` made, after its present turn; without a reason, normally.
/// Any thread.
void end_hosted(const caf::strong_actor_ptr& actor, const std::optional<Error>& reason);

/// The address of an actor that `spawn_hosted` made; none for any other.
std::optional<ActorAddress> hosted_address(const caf::strong_actor_ptr& actor);

}  // namespace slime::runtime

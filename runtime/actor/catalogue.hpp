#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "runtime/actor/host.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

/// How long the turns of an actor may take, and so where they run.
enum class Turns {
  /// Microseconds, and they never wait for anything. May run on the thread that receives from other
  /// nodes: that saves switching threads for every message, but a slow turn holds everyone up.
  brief,
  /// They compute and never wait. Run on the node's shared threads.
  computing,
  /// They wait, for a disk or a device, or compute for long. Run on a thread of the actor's own.
  blocking,
};

/// One actor type that can be spawned by name.
struct ActorType {
  std::string_view name;  ///< lower_snake_case, never changed once released.
  Turns turns = Turns::computing;
  /// Builds an actor from its spec. May throw; that is a failed spawn with the exception's text.
  std::function<std::unique_ptr<Behaviour>(Host&, const AnyMessage& spec)> make;
};

/// What can be spawned on a node. Built by main from explicit lists; constant after start.
using Catalogue = std::vector<ActorType>;

/// The entry for actor class `A`, whose constructor takes (Host&, const Message<Spec>&).
template <class A, class Spec>
ActorType actor_type(std::string_view name, Turns turns = Turns::computing) {
  return ActorType{name, turns, [](Host& host, const AnyMessage& spec) {
                     auto typed = Message<Spec>::from(spec);
                     if (!typed) throw std::invalid_argument(to_string(typed.error()));
                     return std::unique_ptr<Behaviour>(std::make_unique<A>(host, typed.value()));
                   }};
}

}  // namespace slime::runtime

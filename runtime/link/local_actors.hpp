#pragma once

#include <caf/fwd.hpp>

#include <cstdint>

#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"

namespace slime::runtime {

/// The actors of this node, as the link sees them: numbers that other nodes know. Implemented by
/// whoever hosts them; any thread may call, concurrently.
class LocalActors {
 public:
  virtual ~LocalActors() = default;

  /// The actor with this number, null if there is none any more.
  virtual caf::strong_actor_ptr find(std::uint64_t number) = 0;
  /// Why `find` finds nothing: what asks and watches from other nodes are answered with.
  virtual Error why_gone(std::uint64_t) { return {Errc::not_found, "it is not there"}; }
  /// The address of an actor of this node; from then on `find` finds it until it ends.
  virtual ActorAddress address_of(const caf::strong_actor_ptr& actor) = 0;
};

}  // namespace slime::runtime

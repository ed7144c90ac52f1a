#pragma once

#include <caf/actor_control_block.hpp>

#include <optional>
#include <string_view>

#include "runtime/actor/host.hpp"
#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/cluster/mailbox_load.hpp"
#include "runtime/cluster/node_stats.hpp"

namespace slime::runtime {

/// Where a message for an address goes.
struct Route {
  caf::strong_actor_ptr actor;        ///< Of this node or a proxy; null: see `dead`.
  const MailboxLoad* load = nullptr;  ///< Of an actor of this node; lives as long as `actor`.
  Error dead{};                       ///< Why there is no actor, for whoever asks it.
};

/// What a host needs of its node. Any thread; nothing blocks.
class Router {
 public:
  virtual ~Router() = default;

  virtual Route route(const ActorAddress& to) = 0;
  /// The address of any CAF actor that is seen here; none for null.
  virtual ActorAddress address_of(const caf::strong_actor_ptr& actor) = 0;
  /// A reserved address has its actor from now on. `load` lives as long as `actor`.
  virtual void publish(const ActorAddress& address, const caf::strong_actor_ptr& actor,
                       const MailboxLoad& load) = 0;
  /// Why an actor of this node ended, for its watchers; nothing when it ended normally.
  virtual std::optional<Error> last_words(const ActorAddress& actor) = 0;
  /// An actor of this node ended; no reason: normally.
  virtual void ended(const ActorAddress& actor, const std::optional<Error>& reason) = 0;
  virtual void log(const ActorAddress& actor, LogLevel level, std::string_view text) = 0;
  /// Where its actors count what they do; lives as long as the router.
  virtual ActorTallies& tallies() = 0;
};

}  // namespace slime::runtime

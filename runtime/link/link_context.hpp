#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "runtime/link/brief_turns.hpp"
#include "runtime/link/doorbell.hpp"
#include "runtime/link/link_settings.hpp"
#include "runtime/link/local_actors.hpp"
#include "runtime/link/peer_table.hpp"

namespace slime::runtime {

/// What all peers of one link share. Proxies keep it alive beyond the link; `locals` and `system`
/// outlive every actor that may still send.
struct LinkContext {
  LinkContext(LinkSettings link_settings, caf::actor_system& actor_system, LocalActors& actors)
      : settings(std::move(link_settings)),
        system(actor_system),
        locals(actors),
        brief_turns(actor_system, settings) {}

  void log(LogLevel level, std::string line) const {
    if (settings.log) settings.log(level, std::move(line));
  }

  const LinkSettings settings;
  caf::actor_system& system;
  LocalActors& locals;
  Doorbell doorbell;
  PeerTable peers;
  BriefTurns brief_turns;
  /// Runs on the link's thread when a peer has something to write; set before anyone sends.
  std::function<void(const std::shared_ptr<Peer>&)> peer_ready;
  std::atomic<std::uint64_t> relays{0};  ///< Requests sent on behalf of actors of other nodes.
  Tally peers_dead;
  Tally peers_left;
};

/// The actor at `address`, wherever it lives: itself on this node, else a proxy. Never null: a
/// proxy of what is known to be gone is down already. Any thread.
caf::strong_actor_ptr actor_at(const std::shared_ptr<LinkContext>& context,
                               const ActorAddress& address);

}  // namespace slime::runtime

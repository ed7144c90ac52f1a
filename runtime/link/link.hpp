#pragma once

#include <caf/fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/link/link_settings.hpp"
#include "runtime/link/link_stats.hpp"
#include "runtime/link/local_actors.hpp"
#include "runtime/link/peer_events.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

/// What a link knows of one peer at a moment. Counters start with the peer's incarnation.
struct PeerStats {
  PeerIdentity peer;
  bool connected = false;
  bool suspected = false;
  std::uint64_t bytes_in = 0;
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;
  std::uint64_t messages_dropped = 0;    ///< No receiver, or lost with a connection.
  std::uint64_t refused_overloaded = 0;  ///< At the bound of the queue.
  std::uint64_t connections = 0;         ///< Made so far; the first included.
  std::size_t queued_bytes = 0;          ///< Waiting to be written.
  std::size_t in_flight_bytes = 0;       ///< Sent, and the credit not yet returned.
  std::size_t requests_pending = 0;      ///< Asked and not answered.
};

/// Carries messages between this node's actors and those of other nodes.
///
/// Proxies stand for remote actors: `send`, `request`, `monitor`, `link_to` and exit signals work
/// on them as on any handle. A request is answered exactly once: by the actor, or with an error
/// that names actor, node and reason when the connection is lost while it is under way, when the
/// node dies, or when the message cannot be sent. Nothing is ever sent twice: what was queued or in
/// flight on a lost connection is lost. Between two actors messages keep their order, except that
/// urgent ones and errors overtake.
///
/// One thread runs the connections, another watches for silence. Thread-safe; unless stated no call
/// blocks.
class Link {
 public:
  /// Binds and starts. `actors` and `system` outlive every actor of `system`; `events` outlives the
  /// link. Errors: invalid_argument, already_exists, io_error (names the endpoint).
  static Result<std::unique_ptr<Link>> start(LinkSettings settings, caf::actor_system& system,
                                             LocalActors& actors, PeerEvents& events);
  /// Stops.
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// What is really bound, ports included, in the order of the settings.
  std::vector<Endpoint> endpoints() const;

  /// Dials an address whose node is not known and keeps the connection. Blocks the caller, who is
  /// not the link's thread, for at most `timeout`.
  /// Errors: unavailable, not_found (nobody listens), timeout, refused (token, cluster),
  /// incompatible (version), stale (fenced), invalid_argument.
  Result<PeerIdentity> connect(const Endpoint& endpoint, Duration timeout);

  /// How to reach a node. It is dialled when first needed and again after a loss. An incarnation
  /// newer than the one known replaces it.
  void introduce(const PeerIdentity& peer, std::vector<Endpoint> endpoints);

  /// The cluster has declared this incarnation dead: it and older ones are fenced for good.
  void condemn(NodeId node, std::uint64_t incarnation, Death death);

  /// The actor at an address: itself if it lives here, else its proxy. Never null; what is known to
  /// be gone has a proxy that is down. Calls to a node that nobody introduces fail after
  /// `dead_after`.
  caf::strong_actor_ptr proxy(const ActorAddress& address);

  std::vector<PeerStats> stats() const;
  /// All of them together, those that are gone included.
  LinkStats totals() const;

  /// Says goodbye, flushes for at most `stop_timeout`, closes everything, and declares every peer
  /// dead. Blocks until the link's threads have ended. Later calls do nothing.
  void stop();

 private:
  struct Impl;
  explicit Link(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// Sends `message` without expecting an answer; to an actor of this process or, through its proxy,
/// of another. Errors: overloaded (the peer's queue is full), unavailable (it is dead),
/// invalid_argument (too long). Success does not mean that it arrives.
Status tell(const caf::strong_actor_ptr& target, const caf::strong_actor_ptr& sender,
            const AnyMessage& message);

/// Where an actor lives, for one that is a proxy of a link; the null address otherwise.
ActorAddress remote_address(const caf::strong_actor_ptr& actor);

}  // namespace slime::runtime

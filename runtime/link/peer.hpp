#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/link/outbox.hpp"
#include "runtime/link/peer_events.hpp"
#include "runtime/link/pending_requests.hpp"

namespace slime::runtime {

struct LinkContext;

/// What is counted of one peer outside its outbox; see `LinkTraffic`.
struct PeerTraffic {
  Tally bytes_in;
  Tally frames_in;
  Tally messages_in;
  Tally messages_out;
  Tally messages_dropped;
  Tally refused_overloaded;
  Tally connections;
};

/// One incarnation of another node, as long as it lives: what is on its way to it, what it owes
/// answers to, and the proxies of its actors. The part of the link that actors' threads touch; its
/// connection belongs to the link's thread. Once dead it stays dead; a node that comes back gets a
/// new `Peer`.
class Peer final : public OutboxOwner, public std::enable_shared_from_this<Peer> {
 public:
  Peer(std::shared_ptr<LinkContext> context, NodeId node, std::uint64_t incarnation);

  // Any thread, never blocking.

  NodeId node() const { return node_; }
  std::uint64_t incarnation() const { return incarnation_; }
  ActorAddress address(std::uint64_t number) const { return {node_, incarnation_, number}; }
  LinkContext& context() const { return *context_; }
  /// "name (1f2e3d4c)" as far as known.
  std::string text() const;

  /// The proxy of an actor of this node; already down if the peer is dead.
  caf::strong_actor_ptr proxy(std::uint64_t number);
  /// The last handle of a proxy is gone.
  void forget(std::uint64_t number);
  /// Somebody wants to know when the actor ends.
  void watch(const caf::strong_actor_ptr& proxy);

  /// Sends a message or a control frame. Errors: overloaded, invalid_argument (too long), or what
  /// the peer died of.
  Status send(std::unique_ptr<Outgoing> item);
  /// The same, on the connection of the item's own generation or not at all.
  Status send_on(std::unique_ptr<Outgoing> item);
  /// Sends a request whose answer goes to `asker`, or an error in its place: that is certain, once.
  void ask(std::unique_ptr<Outgoing> item, PendingRequests::Asker asker);
  /// Why the peer counts as dead, if it does.
  std::optional<Death> death() const;

  void on_ready() override;
  void on_discarded(std::unique_ptr<Outgoing> item) override;

  Outbox& outbox() { return outbox_; }
  PendingRequests& pending() { return pending_; }
  PeerTraffic& traffic() { return traffic_; }
  LinkTraffic read_traffic() const;
  std::uint64_t connections() const { return traffic_.connections.read(); }

  bool is_connected() const { return connected_; }

  // When anything was last heard; the failure detector reads it.
  void heard(Instant now) { heard_.store(now.time_since_epoch().count()); }
  Instant last_heard() const { return Instant(Duration(heard_.load())); }
  /// Whether the detector is to judge its silence: it is connected, or being connected.
  std::atomic<bool> judged{false};
  std::atomic<bool> suspected{false};

  // The link's thread only.

  void set_name(const std::string& name);
  PeerIdentity identity() const;
  /// A connection is there; watches are announced again.
  void connected(int fd, std::size_t credit_bytes);
  /// The connection is lost: what was sent or queued on it fails with `why`.
  void disconnected(const Error& why);
  /// Declares it dead: proxies go down, everything fails, for good.
  void die(Death death);
  /// An actor of the peer ended.
  void actor_ended(std::uint64_t number, const caf::error& reason);
  /// The peer watches one of our actors.
  void watched_by_peer(std::uint64_t number);

 private:
  struct Watch {
    caf::strong_actor_ptr proxy;  ///< Held, or there would be nobody to tell.
    std::uint64_t generation;     ///< Of the connection it was announced on.
  };

  void announce_watch(std::uint64_t number, std::uint64_t generation);
  Error why_lost() const;
  void fail(const PendingRequests::Asker& asker, const Error& why) const;
  void local_actor_ended(std::uint64_t number, const caf::error& reason);

  const std::shared_ptr<LinkContext> context_;
  const NodeId node_;
  const std::uint64_t incarnation_;
  caf::node_id caf_node_;
  Outbox outbox_;
  PendingRequests pending_;
  PeerTraffic traffic_;
  std::atomic<bool> ready_posted_{false};
  std::atomic<std::int64_t> heard_{0};
  std::atomic<bool> dead_{false};
  std::atomic<bool> connected_{false};

  mutable std::mutex mutex_;  // Guards the rest; held for moments only.
  std::string name_;
  std::optional<Death> death_;
  Error lost_why_{Errc::unavailable, "it was never connected"};
  std::unordered_map<std::uint64_t, caf::weak_actor_ptr> proxies_;
  std::unordered_map<std::uint64_t, Watch> watches_;
  std::unordered_set<std::uint64_t> watched_by_peer_;
};

}  // namespace slime::runtime

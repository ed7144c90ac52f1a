#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/log_level.hpp"
#include "runtime/link/endpoint.hpp"
#include "runtime/link/peer_events.hpp"

namespace slime::runtime {

/// Everything a link is told when it starts. Plain data.
struct LinkSettings {
  PeerIdentity self;
  std::string cluster_id;        ///< Nodes of another cluster are refused.
  std::string token;             ///< Shared secret; never logged.
  std::vector<Endpoint> listen;  ///< All serve the same protocol; may be empty.

  Duration heartbeat = std::chrono::milliseconds(250);
  Duration suspect_after = std::chrono::seconds(1);  ///< Silence that makes a peer suspect.
  Duration dead_after = std::chrono::seconds(3);     ///< Silence that makes it dead.
  /// A turn on the link's thread that takes this long is counted and logged; well below
  /// `dead_after`, after which the others would take this node for dead.
  Duration slow_turn = std::chrono::milliseconds(100);
  Duration connect_timeout = std::chrono::seconds(3);
  Duration handshake_timeout = std::chrono::seconds(2);
  Duration reconnect_min = std::chrono::milliseconds(50);  ///< First pause between two dials.
  Duration reconnect_max = std::chrono::seconds(1);        ///< It doubles up to this.
  Duration stop_timeout = std::chrono::milliseconds(500);  ///< For flushing when stopping.

  /// Longest message sent or taken; longer ones are refused on both sides.
  std::size_t message_bytes_max = std::size_t{256} << 20;
  /// Once this much waits for a peer, more is refused as overloaded. One message may overshoot it.
  std::size_t peer_queue_bytes_max = std::size_t{256} << 20;
  /// What a peer may have in flight towards us: sent, and its handler not yet returned. One
  /// message may overshoot it.
  std::size_t credit_bytes = std::size_t{64} << 20;
  /// Connections beyond this are closed when they are accepted.
  std::size_t connections_max = 4096;

  /// TCP congestion control by the kernel's name; empty leaves the system's default.
  std::string tcp_congestion;
  /// Receives one line per noteworthy event. Any thread; must not block for long. May be empty.
  std::function<void(LogLevel, std::string)> log;
};

}  // namespace slime::runtime

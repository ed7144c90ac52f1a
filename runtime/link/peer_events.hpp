#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"

namespace slime::runtime {

/// Who a node is. The incarnation is raised whenever the node starts again.
struct PeerIdentity {
  NodeId node;
  std::uint64_t incarnation = 0;
  std::string name;  ///< For people.
};

/// "trainer-3 (1f2e3d4c)".
std::string to_string(const PeerIdentity& peer);

/// Why and when a node counts as dead.
struct Death {
  Errc code = Errc::unavailable;  ///< What calls to the dead fail with.
  std::string reason;
  std::int64_t when_us = 0;  ///< Wall clock.
};

/// Told what the link learns about other nodes. Called on the link's thread: implementations pass
/// the news on and never block.
class PeerEvents {
 public:
  virtual ~PeerEvents() = default;

  /// Connected, or heard again after `peer_suspect`.
  virtual void peer_up(const PeerIdentity& peer) = 0;
  /// Nothing came from it for `silent`; calls to it still wait.
  virtual void peer_suspect(const PeerIdentity& peer, Duration silent) = 0;
  /// All calls to it have failed and its actors are down. The same incarnation may come up again
  /// unless it is condemned.
  virtual void peer_down(const PeerIdentity& peer, const Death& death) = 0;
};

}  // namespace slime::runtime

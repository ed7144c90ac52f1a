#include "runtime/link/peer_events.hpp"

namespace slime::runtime {

std::string to_string(const PeerIdentity& peer) {
  if (peer.name.empty()) return to_string(peer.node);
  return peer.name + " (" + to_string(peer.node) + ")";
}

}  // namespace slime::runtime

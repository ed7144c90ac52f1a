#include "runtime/link/peer_table.hpp"

#include "runtime/link/link_context.hpp"
#include "runtime/link/peer.hpp"

namespace slime::runtime {

std::shared_ptr<Peer> PeerTable::at(const std::shared_ptr<LinkContext>& context, NodeId node,
                                    std::uint64_t incarnation) {
  std::optional<Death> death;
  {
    const std::lock_guard lock(mutex_);
    death = fenced_locked(node, incarnation);
    if (!death) {
      auto& slot = peers_[{node, incarnation}];
      if (!slot) slot = std::make_shared<Peer>(context, node, incarnation);
      return slot;
    }
  }
  auto dead = std::make_shared<Peer>(context, node, incarnation);
  dead->die(*death);
  return dead;
}

std::shared_ptr<Peer> PeerTable::find(NodeId node, std::uint64_t incarnation) const {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find({node, incarnation});
  return found == peers_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Peer>> PeerTable::all() const {
  std::vector<std::shared_ptr<Peer>> peers;
  const std::lock_guard lock(mutex_);
  peers.reserve(peers_.size());
  for (const auto& [key, peer] : peers_) peers.push_back(peer);
  return peers;
}

void PeerTable::remove(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find({peer.node(), peer.incarnation()});
  if (found == peers_.end() || found->second.get() != &peer) return;
  removed_ += peer.read_traffic();
  peers_.erase(found);
}

LinkStats PeerTable::stats() const {
  LinkStats stats;
  // In one go, or a peer that is removed meanwhile would count twice or not at all.
  const std::lock_guard lock(mutex_);
  stats.traffic = removed_;
  for (const auto& [key, peer] : peers_) {
    stats.peers_connected += peer->is_connected();
    stats.peers_suspected += peer->suspected;
    stats.messages_queued += peer->outbox().queued();
    stats.bytes_queued += peer->outbox().queued_bytes();
    stats.bytes_in_flight += peer->outbox().in_flight_bytes();
    stats.requests_pending += peer->pending().size();
    stats.traffic += peer->read_traffic();
  }
  return stats;
}

void PeerTable::fence(NodeId node, std::uint64_t incarnation, const Death& death) {
  const std::lock_guard lock(mutex_);
  auto [found, added] = fences_.try_emplace(node, Fence{incarnation, death});
  if (!added && found->second.incarnation < incarnation) found->second = {incarnation, death};
}

std::optional<Death> PeerTable::fenced(NodeId node, std::uint64_t incarnation) const {
  const std::lock_guard lock(mutex_);
  return fenced_locked(node, incarnation);
}

void PeerTable::close(const Death& death) {
  const std::lock_guard lock(mutex_);
  closed_ = death;
}

std::optional<Death> PeerTable::fenced_locked(NodeId node, std::uint64_t incarnation) const {
  if (closed_) return closed_;
  const auto found = fences_.find(node);
  if (found == fences_.end() || found->second.incarnation < incarnation) return std::nullopt;
  return found->second.death;
}

}  // namespace slime::runtime

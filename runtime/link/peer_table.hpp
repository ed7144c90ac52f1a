#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/link/link_stats.hpp"
#include "runtime/link/peer_events.hpp"

namespace slime::runtime {

struct LinkContext;
class Peer;

/// The living peers of a link, and the fences that keep the dead out. Any thread; never blocks for
/// long.
class PeerTable {
 public:
  /// The peer; made if it is not there; dead at once if it is fenced.
  std::shared_ptr<Peer> at(const std::shared_ptr<LinkContext>& context, NodeId node,
                           std::uint64_t incarnation);
  /// Null if it is not there.
  std::shared_ptr<Peer> find(NodeId node, std::uint64_t incarnation) const;
  std::vector<std::shared_ptr<Peer>> all() const;

  /// The dead one's traffic goes on counting as it is now.
  void remove(const Peer& peer);
  /// What the link holds and has done, as far as its peers know.
  LinkStats stats() const;
  /// This and older incarnations are dead for good.
  void fence(NodeId node, std::uint64_t incarnation, const Death& death);
  /// Why this incarnation is fenced, if it is.
  std::optional<Death> fenced(NodeId node, std::uint64_t incarnation) const;
  /// Everyone is dead from now on: the link has stopped.
  void close(const Death& death);

 private:
  struct Fence {
    std::uint64_t incarnation;
    Death death;
  };

  std::optional<Death> fenced_locked(NodeId node, std::uint64_t incarnation) const;

  mutable std::mutex mutex_;
  std::map<std::pair<NodeId, std::uint64_t>, std::shared_ptr<Peer>> peers_;
  std::unordered_map<NodeId, Fence> fences_;
  std::optional<Death> closed_;
  LinkTraffic removed_;  ///< Of the peers that are not here any more.
};

}  // namespace slime::runtime

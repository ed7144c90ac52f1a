#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "actors/system/protocols.hpp"
#include "runtime/actor/actor.hpp"
#include "runtime/cluster/peer_book.hpp"
#include "runtime/cluster/spawner.hpp"

namespace slime::actors {

/// Number `node_agent_number` of every node: runs, ends and lists its actors for others, and keeps
/// its link's knowledge of the other nodes up to date.
class NodeAgentActor : public runtime::Actor<NodeAgentProtocol> {
 public:
  struct Node {
    runtime::Spawner& spawner;
    runtime::PeerBook& peers;
    /// The cluster has declared this very node dead (stale): it must stop. Called once, in a turn.
    std::function<void(const Error&)> fenced;
    /// Another node has said goodbye. Called once for each, in a turn; may be empty.
    std::function<void(NodeId node, std::uint64_t incarnation)> left = {};
  };

  /// What `node` refers to must outlive the actor.
  NodeAgentActor(runtime::Host& host, Node node);

 private:
  void spawn(const runtime::Message<schema::Spawn>& message, runtime::Reply<schema::Spawned> reply);
  void kill(const runtime::Message<schema::Kill>& message, runtime::Reply<schema::Killed> reply);
  void list(const runtime::Message<schema::ListActors>& message,
            runtime::Reply<schema::Actors> reply);
  void find_state_store(const runtime::Message<schema::FindStateStore>& message,
                        runtime::Reply<schema::StateStoreFound> reply);
  void members(const runtime::Message<schema::Members>& message);

  Node node_;
  ActorAddress membership_;  ///< Of the head's newest process that was heard.
  std::uint64_t version_ = 0;
  bool fenced_ = false;
  std::set<std::pair<NodeId, std::uint64_t>> condemned_;
  std::map<std::pair<ActorAddress, std::uint64_t>, ActorAddress> spawned_;  // By sender and key.
};

}  // namespace slime::actors

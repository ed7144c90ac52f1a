#include "actors/system/node_agent.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/wire/address.hpp"

namespace slime::actors {

using runtime::Message;
using runtime::Reply;

NodeAgentActor::NodeAgentActor(runtime::Host& host, Node node)
    : Actor(host), node_(std::move(node)) {
  on(&NodeAgentActor::spawn);
  on(&NodeAgentActor::kill);
  on(&NodeAgentActor::list);
  on(&NodeAgentActor::find_state_store);
  on(&NodeAgentActor::members);
}

void NodeAgentActor::spawn(const Message<schema::Spawn>& message, Reply<schema::Spawned> reply) {
  message.read([&](schema::Spawn::Reader root) {
    // A system actor, and so its keys, is the same in all incarnations of its node.
    ActorAddress asker = sender();
    if (asker.number < first_free_number) asker.incarnation = 0;
    const auto key = std::pair(asker, root.getKey());
    const auto known = spawned_.find(key);
    Result<ActorAddress> spawned = Error{Errc::internal, ""};
    if (known != spawned_.end()) {
      spawned = known->second;
    } else {
      const auto bytes = std::as_bytes(std::span(root.getSpec().begin(), root.getSpec().size()));
      const runtime::AnyMessage spec{root.getSpecType(), runtime::Words::copy(bytes)};
      spawned = node_.spawner.spawn(root.getType().cStr(), spec);
    }
    if (!spawned) return reply.fail(spawned.error());
    if (root.getKey() != 0) spawned_[key] = *spawned;
    reply.send(Message<schema::Spawned>::make([&](schema::Spawned::Builder answer) {
      runtime::write_address(answer.initAddress(), *spawned);
    }));
  });
}

void NodeAgentActor::kill(const Message<schema::Kill>& message, Reply<schema::Killed> reply) {
  message.read([&](schema::Kill::Reader root) {
    const Error reason{Errc::unavailable, std::string("killed: ") + root.getReason().cStr()};
    const Status killed = node_.spawner.kill(runtime::read_address(root.getAddress()), reason);
    if (!killed) return reply.fail(killed.error());
    reply.send(Message<schema::Killed>::make());
  });
}

void NodeAgentActor::list(const Message<schema::ListActors>&, Reply<schema::Actors> reply) {
  const std::vector<runtime::ActorRecord> records = node_.spawner.list();
  reply.send(Message<schema::Actors>::make([&](schema::Actors::Builder root) {
    auto actors = root.initActors(static_cast<unsigned>(records.size()));
    for (unsigned i = 0; i < actors.size(); ++i) {
      runtime::write_address(actors[i].initAddress(), records[i].address);
      actors[i].setType(records[i].type);
      actors[i].setAlive(records[i].alive);
      actors[i].setReason(records[i].reason);
    }
  }));
}

void NodeAgentActor::find_state_store(const Message<schema::FindStateStore>&,
                                      Reply<schema::StateStoreFound> reply) {
  if (!membership_)
    return reply.fail(Error{Errc::unavailable,
                            "finding the state store: this node has not heard of its head yet"});
  reply.send(Message<schema::StateStoreFound>::make([this](schema::StateStoreFound::Builder root) {
    runtime::write_address(root.initAddress(),
                           {membership_.node, membership_.incarnation, state_store_number});
  }));
}

void NodeAgentActor::members(const Message<schema::Members>& message) {
  const ActorAddress& from = sender();
  const bool outdated = from.node == membership_.node && from.incarnation < membership_.incarnation;
  if (from.number == membership_number && !outdated) membership_ = from;
  message.read([&](schema::Members::Reader root) {
    if (root.getVersion() <= version_) return;
    version_ = root.getVersion();
    for (const schema::Member::Reader member : root.getMembers()) {
      const NodeId id = runtime::read_node(member.getNode());
      const std::uint64_t incarnation = member.getIncarnation();
      const bool gone = member.getState() == schema::MemberState::DEAD ||
                        member.getState() == schema::MemberState::LEFT;
      const std::string name = member.getName();
      if (id == self().node) {
        if (gone && incarnation == self().incarnation && !std::exchange(fenced_, true))
          node_.fenced(Error{Errc::stale, "node " + name + " was declared dead by the cluster: " +
                                              member.getReason().cStr()});
      } else if (!gone) {
        std::vector<std::string> endpoints;
        for (const auto endpoint : member.getEndpoints()) endpoints.emplace_back(endpoint.cStr());
        node_.peers.introduce(id, incarnation, name, endpoints);
      } else if (condemned_.emplace(id, incarnation).second) {
        if (member.getState() == schema::MemberState::LEFT && node_.left)
          node_.left(id, incarnation);
        node_.peers.condemn(
            id, incarnation,
            Error{Errc::unavailable, "node " + name + " (" + to_string(id) +
                                         ") is gone: " + member.getReason().cStr()});
      }
    }
  });
}

}  // namespace slime::actors

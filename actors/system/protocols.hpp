#pragma once

#include "runtime/actor/protocol.hpp"
#include "runtime/actor/state_protocol.hpp"
#include "schemas/cluster.capnp.h"

namespace slime::actors {

using runtime::Ask;
using runtime::Tell;

/// One on every node: spawns, ends and lists the node's actors, and shows durable ones the way.
using NodeAgentProtocol =
    runtime::Protocol<Ask<schema::Spawn, schema::Spawned>, Ask<schema::Kill, schema::Killed>,
                      Ask<schema::ListActors, schema::Actors>,
                      Ask<schema::FindStateStore, schema::StateStoreFound>, Tell<schema::Members>>;

/// On the head: who is in the cluster, and who is dead.
using MembershipProtocol =
    runtime::Protocol<Ask<schema::Join, schema::Members>, Ask<schema::Leave, schema::Members>,
                      Tell<schema::Suspect>, Ask<schema::GetMembers, schema::Members>,
                      Ask<schema::SubscribeMembers, schema::Members>>;

/// What a subscriber of the membership must understand.
using MembersListener = runtime::Protocol<Tell<schema::Members>>;

/// On the head: names of actors.
using DirectoryProtocol =
    runtime::Protocol<Ask<schema::Register, schema::Registered>, Ask<schema::Lookup, schema::Found>,
                      Ask<schema::ListNames, schema::Names>>;

/// On the head: keeps named actors alive.
using SupervisorProtocol =
    runtime::Protocol<Ask<schema::Supervise, schema::Supervised>,
                      Ask<schema::Release, schema::Released>,
                      Ask<schema::ListSupervised, schema::SupervisedActors>, Tell<schema::Members>>;

using NodeAgent = runtime::Ref<NodeAgentProtocol>;
using Membership = runtime::Ref<MembershipProtocol>;
using Directory = runtime::Ref<DirectoryProtocol>;
using Supervisor = runtime::Ref<SupervisorProtocol>;

/// Numbers of the system actors, the same on every node, so that knowing a node is knowing them.
inline constexpr std::uint64_t node_agent_number = runtime::state_guide_number;
inline constexpr std::uint64_t membership_number = 2;
inline constexpr std::uint64_t directory_number = 3;
inline constexpr std::uint64_t supervisor_number = 4;
inline constexpr std::uint64_t state_store_number = 5;
/// The first number of an actor that is not one of them.
inline constexpr std::uint64_t first_free_number = 16;

inline NodeAgent node_agent_of(NodeId node, std::uint64_t incarnation) {
  return NodeAgent{ActorAddress{node, incarnation, node_agent_number}};
}

}  // namespace slime::actors

#pragma once

#include "actors/system/membership.hpp"
#include "actors/system/node_agent.hpp"
#include "runtime/actor/catalogue.hpp"
#include "runtime/placement/policy.hpp"

namespace slime::actors {

// The system actors as types that a node, or the simulation, can run. Unlike those of a catalogue
// they are given what surrounds them and take no spec.

runtime::ActorType node_agent_type(NodeAgentActor::Node node);
runtime::ActorType membership_type(MembershipActor::Settings settings);
runtime::ActorType directory_type(StateKeeper* keeper = nullptr);
/// @param placement  Must outlive the actor.
/// @param keeper     So must it.
runtime::ActorType supervisor_type(const runtime::PlacementPolicy& placement,
                                   StateKeeper* keeper = nullptr);

}  // namespace slime::actors

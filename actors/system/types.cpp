#include "actors/system/types.hpp"

#include <memory>
#include <utility>

#include "actors/system/directory.hpp"
#include "actors/system/supervisor.hpp"

namespace slime::actors {

namespace {

template <class A, class... Surroundings>
runtime::ActorType system_type(std::string_view name, runtime::Turns turns,
                               Surroundings... surroundings) {
  return {name, turns,
          [... given = std::move(surroundings)](runtime::Host& host, const runtime::AnyMessage&) {
            return std::unique_ptr<runtime::Behaviour>(std::make_unique<A>(host, given...));
          }};
}

/// Whoever keeps something waits for the disk.
runtime::Turns turns_with(const StateKeeper* keeper) {
  return keeper ? runtime::Turns::blocking : runtime::Turns::brief;
}

}  // namespace

runtime::ActorType node_agent_type(NodeAgentActor::Node node) {
  return system_type<NodeAgentActor>("node_agent", runtime::Turns::computing, std::move(node));
}

runtime::ActorType membership_type(MembershipActor::Settings settings) {
  const runtime::Turns turns = turns_with(settings.keeper);
  return system_type<MembershipActor>("membership", turns, std::move(settings));
}

runtime::ActorType directory_type(StateKeeper* keeper) {
  return system_type<DirectoryActor>("directory", turns_with(keeper), keeper);
}

runtime::ActorType supervisor_type(const runtime::PlacementPolicy& placement, StateKeeper* keeper) {
  return system_type<SupervisorActor>("supervisor", turns_with(keeper), std::ref(placement),
                                      keeper);
}

}  // namespace slime::actors

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

}  // namespace

runtime::ActorType node_agent_type(NodeAgentActor::Node node) {
  return system_type<NodeAgentActor>("node_agent", runtime::Turns::computing, std::move(node));
}

runtime::ActorType membership_type(MembershipActor::Settings settings) {
  return system_type<MembershipActor>("membership", runtime::Turns::brief, std::move(settings));
}

runtime::ActorType directory_type() {
  return system_type<DirectoryActor>("directory", runtime::Turns::brief);
}

runtime::ActorType supervisor_type(const runtime::PlacementPolicy& placement) {
  return system_type<SupervisorActor>("supervisor", runtime::Turns::brief, std::ref(placement));
}

}  // namespace slime::actors

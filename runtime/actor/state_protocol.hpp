#pragma once

#include <cstdint>

#include "runtime/actor/protocol.hpp"
#include "schemas/durable.capnp.h"

namespace slime::runtime {

/// What keeps the states of durable actors; one in a cluster.
using StateStoreProtocol = Protocol<Ask<schema::LoadState, schema::LoadedState>,
                                    Ask<schema::SaveState, schema::StateSaved>>;
using StateStore = Ref<StateStoreProtocol>;

/// Whoever on an actor's own node knows where that is: the actor with this number.
using StateGuideProtocol = Protocol<Ask<schema::FindStateStore, schema::StateStoreFound>>;
using StateGuide = Ref<StateGuideProtocol>;
inline constexpr std::uint64_t state_guide_number = 1;

}  // namespace slime::runtime

#pragma once

#include "runtime/base/ids.hpp"
#include "schemas/ids.capnp.h"

namespace slime::runtime {

/// Between identities in memory and in messages.
NodeId read_node(schema::NodeId::Reader from);
void write_node(schema::NodeId::Builder to, NodeId node);
ActorAddress read_address(schema::ActorAddress::Reader from);
void write_address(schema::ActorAddress::Builder to, const ActorAddress& address);

}  // namespace slime::runtime

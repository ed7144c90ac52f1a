#pragma once

#include <capnp/serialize.h>

#include <memory>
#include <span>
#include <utility>

#include "runtime/link/outbox.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/link.capnp.h"

namespace slime::runtime {

/// A control frame that `fill` fills, ready for `Peer::send`.
/// @param system  Whether it overtakes messages.
template <class Fill>
std::unique_ptr<Outgoing> control_frame(bool system, Fill&& fill) {
  auto item = std::make_unique<Outgoing>();
  item->kind = FrameKind::control;
  item->system = system;
  item->body = Message<schema::LinkControl>::make(std::forward<Fill>(fill), 32).words();
  return item;
}

inline void write_node(NodeId node, schema::NodeId::Builder out) {
  out.setHigh(node.high);
  out.setLow(node.low);
}
inline NodeId read_node(schema::NodeId::Reader in) {
  return {in.getHigh(), in.getLow()};
}

inline void write_address(const ActorAddress& address, schema::ActorAddress::Builder out) {
  write_node(address.node, out.initNode());
  out.setIncarnation(address.incarnation);
  out.setNumber(address.number);
}
inline ActorAddress read_address(schema::ActorAddress::Reader in) {
  return {read_node(in.getNode()), in.getIncarnation(), in.getNumber()};
}

}  // namespace slime::runtime

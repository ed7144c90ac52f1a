#include "runtime/wire/address.hpp"

namespace slime::runtime {

NodeId read_node(schema::NodeId::Reader from) {
  return NodeId{from.getHigh(), from.getLow()};
}

void write_node(schema::NodeId::Builder to, NodeId node) {
  to.setHigh(node.high);
  to.setLow(node.low);
}

ActorAddress read_address(schema::ActorAddress::Reader from) {
  return ActorAddress{read_node(from.getNode()), from.getIncarnation(), from.getNumber()};
}

void write_address(schema::ActorAddress::Builder to, const ActorAddress& address) {
  write_node(to.initNode(), address.node);
  to.setIncarnation(address.incarnation);
  to.setNumber(address.number);
}

}  // namespace slime::runtime

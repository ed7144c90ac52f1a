#include "runtime/base/ids.hpp"

#include <cstdio>

namespace slime {

std::string to_string(NodeId node) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(node.high));
  return std::string(text, 8);
}

std::string to_string(const ActorAddress& address) {
  return to_string(address.node) + "#" + std::to_string(address.number);
}

}  // namespace slime

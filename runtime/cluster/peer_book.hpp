#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"

namespace slime::runtime {

/// What a node's link is told of the other nodes: a real one, or one of the simulation. Any
/// thread; nothing blocks. Both calls may be repeated.
class PeerBook {
 public:
  virtual ~PeerBook() = default;

  /// How to reach a living node; dialled on first use.
  virtual void introduce(NodeId node, std::uint64_t incarnation, const std::string& name,
                         const std::vector<std::string>& endpoints) = 0;
  /// The cluster declared this incarnation dead: it and older ones are fenced for ever, its actors
  /// are reported down and asks to them fail with `reason`.
  virtual void condemn(NodeId node, std::uint64_t incarnation, const Error& reason) = 0;
};

}  // namespace slime::runtime

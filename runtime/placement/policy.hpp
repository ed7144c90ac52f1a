#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/ids.hpp"

namespace slime::runtime {

/// A living member as placement sees it.
struct Candidate {
  NodeId node{};
  std::uint64_t incarnation = 0;
  std::string name{};  ///< Unique among candidates.
  std::vector<std::string> roles{};
  std::size_t actors = 0;  ///< Already placed there.
};

/// True for every member when `role` is empty.
bool has_role(const Candidate& candidate, std::string_view role);

/// Chooses where an actor goes. Pure: equal candidates give an equal choice, in whatever order
/// they are listed.
class PlacementPolicy {
 public:
  virtual ~PlacementPolicy() = default;

  virtual std::string_view name() const = 0;
  /// One of `candidates` that has `role`; null when none has.
  virtual const Candidate* choose(std::span<const Candidate> candidates,
                                  std::string_view role) const = 0;
};

}  // namespace slime::runtime

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/ids.hpp"

namespace slime::tools {

/// What one observer saw of a cluster's directory, look after look, and whether that could be: a
/// name moves from holder to holder and never back, so no look shows less than the one before it.
/// The README of this folder has the definition. Pure; confined to one thread.
class DirectoryHistory {
 public:
  using Binding = std::pair<std::string, ActorAddress>;

  /// Takes a whole listing. Each begins after the one before has ended.
  void saw(std::span<const Binding> listing);

  std::size_t looks() const { return looks_; }
  /// Names that were ever bound, and how often one got another holder.
  std::size_t names() const { return names_.size(); }
  std::size_t moves() const { return moves_; }
  /// The first thing that cannot be in a linearizable directory, and was seen.
  const std::optional<std::string>& violation() const { return violation_; }

 private:
  struct Name {
    std::optional<ActorAddress> holder;  ///< The last that was seen.
    std::set<ActorAddress> former;
    std::map<NodeId, ActorAddress> newest;  ///< The last holder on each node.
    std::size_t seen = 0;                   ///< The look that showed it last.
  };

  void bound(const std::string& text, const ActorAddress& holder);
  void violated(std::string what);

  std::map<std::string, Name> names_;
  std::size_t looks_ = 0;
  std::size_t moves_ = 0;
  std::optional<std::string> violation_;
};

}  // namespace slime::tools

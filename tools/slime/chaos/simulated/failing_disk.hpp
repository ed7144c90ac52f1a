#pragma once

#include <set>
#include <string>

#include "runtime/actor/catalogue.hpp"

namespace slime::tools {

/// The disks of simulated nodes, some of which are full: what is written to a checkpoint store
/// there is refused before anything of it is written. Outlives the actors that it is given to.
/// Confined to the simulation's thread.
class FailingDisk {
 public:
  /// The same types, with checkpointers that write to these disks.
  runtime::Catalogue under(runtime::Catalogue catalogue);

  void fill(const std::string& node) { full_.insert(node); }
  void empty(const std::string& node) { full_.erase(node); }
  bool full(const std::string& node) const { return full_.contains(node); }

 private:
  std::set<std::string> full_;
};

}  // namespace slime::tools

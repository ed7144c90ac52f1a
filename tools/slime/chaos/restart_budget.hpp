#pragma once

#include <map>
#include <span>
#include <string>

#include "runtime/supervision/restart_policy.hpp"
#include "tools/slime/chaos/run_processes.hpp"

namespace slime::tools {

/// How often each node of a run may still end before whoever starts it again gives up, kept by
/// looking at who runs. A node counts as started when it is first seen, which is later than it was,
/// so calm is never taken for longer than it lasted. Time is passed in. Confined to one thread.
class RestartBudget {
 public:
  explicit RestartBudget(const runtime::RestartLimits& limits) : limits_(limits) {}

  /// Takes note of who started and who ended since the last look.
  void look(std::span<const RunProcess> running, Instant now);
  /// Whether the node could end now and once more at once, and would be started again both times:
  /// the second is for an end that nobody planned.
  bool may_end(const std::string& node, Instant now) const;
  /// All nodes are started by another command from now on, which counts anew.
  void reset() { nodes_.clear(); }

 private:
  struct Node {
    ProcessIdentity process;
    bool running = false;
    runtime::RestartPolicy policy;
  };

  runtime::RestartLimits limits_;
  std::map<std::string, Node> nodes_;
};

}  // namespace slime::tools

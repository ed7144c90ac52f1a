#include "tools/slime/chaos/restart_budget.hpp"

#include <algorithm>

namespace slime::tools {

void RestartBudget::look(std::span<const RunProcess> running, Instant now) {
  for (auto& [name, node] : nodes_) {
    const bool there = std::ranges::any_of(
        running, [&node = node](const RunProcess& other) { return other.process == node.process; });
    if (there || !node.running) continue;
    node.running = false;
    node.policy.failed(now);
  }
  for (const RunProcess& seen : running) {
    auto [at, fresh] =
        nodes_.try_emplace(seen.name, Node{{}, false, runtime::RestartPolicy(limits_)});
    Node& node = at->second;
    if (node.running && node.process == seen.process) continue;
    node.process = seen.process;
    node.running = true;
    node.policy.started(now);
  }
}

bool RestartBudget::may_end(const std::string& node, Instant now) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return true;
  runtime::RestartPolicy policy = found->second.policy;
  return policy.failed(now) && policy.failed(now);
}

}  // namespace slime::tools

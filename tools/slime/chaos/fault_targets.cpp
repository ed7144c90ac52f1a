#include "tools/slime/chaos/fault_targets.hpp"

#include <array>

namespace slime::tools {

namespace {

using Choices = std::vector<std::vector<RunProcess>>;

Choices each_called(const RunProcesses& running, std::string_view beginning) {
  Choices choices;
  for (const RunProcess& node : running.nodes)
    if (node.name.starts_with(beginning)) choices.push_back({node});
  return choices;
}

Choices each_worker(const RunProcesses& running) {
  return each_called(running, "worker-");
}

Choices each_shard(const RunProcesses& running) {
  return each_called(running, "shard-");
}

Choices each_node(const RunProcesses& running) {
  return each_called(running, "");
}

Choices the_head(const RunProcesses& running) {
  if (!running.head) return {};
  return {{*running.head}};
}

Choices everything(const RunProcesses& running) {
  std::vector<RunProcess> all{running.command};
  all.insert(all.end(), running.nodes.begin(), running.nodes.end());
  return {all};
}

}  // namespace

std::span<const FaultTarget> fault_targets() {
  static constexpr std::array all{
      FaultTarget{"worker", "the process of one worker", false, each_worker},
      FaultTarget{"shard", "the process of one parameter shard and its checkpoint store", false,
                  each_shard},
      FaultTarget{"node", "the process of any worker or shard", false, each_node},
      FaultTarget{"head",
                  "the head's process, with the coordinator; the cluster is then one of its own "
                  "beside the command, with a durable head, and not one within it",
                  true, the_head},
      FaultTarget{
          "all",
          "all processes at once, with the command that holds head and coordinator; after a "
          "kill the job is resumed; not together with head",
          false, everything},
  };
  return all;
}

}  // namespace slime::tools

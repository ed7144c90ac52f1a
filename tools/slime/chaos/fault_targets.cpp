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

Choices everything(const RunProcesses& running) {
  std::vector<RunProcess> all{running.command};
  all.insert(all.end(), running.nodes.begin(), running.nodes.end());
  return {all};
}

}  // namespace

std::span<const FaultTarget> fault_targets() {
  static constexpr std::array all{
      FaultTarget{"worker", "the process of one worker", each_worker},
      FaultTarget{"shard", "the process of one parameter shard and its checkpoint store",
                  each_shard},
      FaultTarget{
          "all",
          "all processes at once, with the command that holds head and coordinator; after a "
          "kill the job is resumed",
          everything},
  };
  return all;
}

}  // namespace slime::tools

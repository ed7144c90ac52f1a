#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tools/slime/chaos/run_processes.hpp"

namespace slime::tools {

/// Whom faults can hit. To add one: write its function and add a line to the list.
struct FaultTarget {
  std::string_view name;
  std::string_view doc;
  bool durable;  ///< Only a durable cluster has it.
  /// Groups of processes that a fault hits together, one of which is chosen; those with the command
  /// have it in front. Empty: there is nobody now.
  std::vector<std::vector<RunProcess>> (*choices)(const RunProcesses& running);
};

/// All of them.
std::span<const FaultTarget> fault_targets();

}  // namespace slime::tools

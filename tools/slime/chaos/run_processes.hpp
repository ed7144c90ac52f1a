#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/slime/process_identity.hpp"

namespace slime::tools {

/// One process of a run, so that no other can be meant.
struct RunProcess {
  std::string name;  ///< "worker-0"; the command's is "slime train".
  ProcessIdentity process;
};

/// Those of a run of `slime train` that run now.
struct RunProcesses {
  RunProcess command;             ///< Holds the head and the coordinator as well.
  std::vector<RunProcess> nodes;  ///< Those that have joined, by name.
};

/// The nodes of the run whose private folder is in `parent`, as they recorded themselves there;
/// none where there is no such folder. Blocks on the disk.
std::vector<RunProcess> nodes_of_run(const std::filesystem::path& parent);

}  // namespace slime::tools

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/slime/process_identity.hpp"

namespace slime::tools {

/// One process of a run, so that no other can be meant.
struct RunProcess {
  std::string name;  ///< "worker-0"; the command's is "slime train".
  ProcessIdentity process;
};

/// Those of a run that run now.
struct RunProcesses {
  RunProcess command;  ///< `slime train`; without a head below it holds head and coordinator, too.
  std::optional<RunProcess> head;  ///< Of a durable cluster; its coordinator is there.
  std::vector<RunProcess> nodes;   ///< Those that have joined, by name; never the head.
};

/// The nodes of the run whose private folder is in `parent`, as they recorded themselves there;
/// none where there is no such folder. Blocks on the disk.
std::vector<RunProcess> nodes_of_run(const std::filesystem::path& parent);

/// Takes into `running` who recorded themselves in a session: its head, and its nodes by name;
/// nobody where there is no such folder. Blocks on the disk.
void take_session(const std::filesystem::path& session, RunProcesses& running);

}  // namespace slime::tools

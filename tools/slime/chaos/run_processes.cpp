#include "tools/slime/chaos/run_processes.hpp"

#include <algorithm>

#include "tools/slime/run_folder.hpp"
#include "tools/slime/session.hpp"

namespace slime::tools {

std::vector<RunProcess> nodes_of_run(const std::filesystem::path& parent) {
  std::vector<RunProcess> nodes;
  std::error_code gone;
  std::filesystem::directory_iterator run(parent, gone), end;
  for (; !gone && run != end; run.increment(gone)) {
    if (!run->path().filename().string().starts_with(RunFolder::name_prefix)) continue;
    RunProcesses there;
    take_session(run->path() / "session", there);
    nodes.insert(nodes.end(), there.nodes.begin(), there.nodes.end());
  }
  std::ranges::sort(nodes, {}, &RunProcess::name);
  return nodes;
}

void take_session(const std::filesystem::path& folder, RunProcesses& running) {
  running.head.reset();
  running.nodes.clear();
  // Where nobody has joined yet, or a command has just ended and takes its folder with it, there
  // is nothing to read.
  const auto session = Session::open(folder);
  if (!session) return;
  const auto members = session->members();
  if (!members) return;
  for (const Member& member : members->running) {
    if (member.role == ProcessRole::head)
      running.head = RunProcess{member.name, member.process};
    else
      running.nodes.push_back({member.name, member.process});
  }
  std::ranges::sort(running.nodes, {}, &RunProcess::name);
}

}  // namespace slime::tools

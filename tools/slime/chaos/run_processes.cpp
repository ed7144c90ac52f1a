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
    // Where nobody has joined yet, or a command has just ended and takes its folder with it, there
    // is nothing to read.
    const auto session = Session::open(run->path() / "session");
    if (!session) continue;
    const auto members = session->members();
    if (!members) continue;
    for (const Member& member : members->running) nodes.push_back({member.name, member.process});
  }
  std::ranges::sort(nodes, {}, &RunProcess::name);
  return nodes;
}

}  // namespace slime::tools

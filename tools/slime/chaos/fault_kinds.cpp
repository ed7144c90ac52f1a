#include "tools/slime/chaos/fault_kinds.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <vector>

namespace slime::tools {

namespace {

/// Sends `signal` to each that still runs. Returns those.
std::vector<RunProcess> signal_all(std::span<const RunProcess> victims, int signal) {
  std::vector<RunProcess> reached;
  for (const RunProcess& victim : victims)
    if (send_signal(victim.process, signal)) reached.push_back(victim);
  return reached;
}

std::string told(std::string_view signal, std::span<const RunProcess> reached) {
  std::string text;
  for (const RunProcess& each : reached)
    text += fmt::format("{}{} (pid {})", text.empty() ? "" : ", ", each.name, each.process.pid);
  return fmt::format("{} to {}", signal, text);
}

Error nobody_there() {
  return {Errc::not_found, "the processes that were chosen have ended meanwhile"};
}

Result<Injection> kill_processes(std::span<const RunProcess> victims) {
  const auto reached = signal_all(victims, SIGKILL);
  if (reached.empty()) return nobody_there();
  return Injection{told("SIGKILL", reached), {}};
}

Result<Injection> stop_for_a_while(std::span<const RunProcess> victims) {
  const auto reached = signal_all(victims, SIGSTOP);
  if (reached.empty()) return nobody_there();
  return Injection{told("SIGSTOP", reached), [reached] { signal_all(reached, SIGCONT); }};
}

}  // namespace

std::span<const FaultKind> fault_kinds() {
  static constexpr std::array all{
      FaultKind{"kill", "end a process by SIGKILL", false, kill_processes},
      FaultKind{"stop", "stop a process for 0.1 to 6 s (SIGSTOP, then SIGCONT)", true,
                stop_for_a_while},
  };
  return all;
}

}  // namespace slime::tools

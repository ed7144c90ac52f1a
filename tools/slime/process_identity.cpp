#include "tools/slime/process_identity.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <utility>

#include "runtime/base/process_stat.hpp"
#include "tools/slime/descriptor.hpp"
#include "tools/slime/pidfd.hpp"

namespace slime::tools {

namespace {

// A killed process goes at once, unless the kernel holds it in a call that cannot be broken off.
constexpr Duration patience_after_kill = std::chrono::seconds(5);

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The process, held so that its number cannot pass to another; nothing when it has ended.
Descriptor hold(const ProcessIdentity& process) {
  if (process.pid <= 0) return {};
  // Held first and compared second, so that the number cannot pass to another in between.
  Descriptor held(::pidfd_open(process.pid, 0));
  return held && is_running(process) ? std::move(held) : Descriptor();
}

/// Waits until `process` has ended or `until` has passed. Returns whether it ended.
bool wait_for_end(const Descriptor& process, Instant until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - monotonic_now()).count();
    pollfd descriptor{process.number(), POLLIN, 0};
    const int ready = ::poll(&descriptor, 1, static_cast<int>(std::clamp<long>(left, 0, 60'000)));
    if (ready > 0) return true;
    if (left <= 0) return false;
  }
}

}  // namespace

Result<ProcessIdentity> identify(pid_t pid) {
  const auto stat = parse_process_stat(first_line(fmt::format("/proc/{}/stat", pid)));
  if (!stat || stat->state == 'Z' || stat->state == 'X')
    return Error{Errc::not_found, fmt::format("looking for process {}: it does not run", pid)};
  std::string boot_id = first_line("/proc/sys/kernel/random/boot_id");
  if (boot_id.empty())
    return Error{Errc::io_error, "reading /proc/sys/kernel/random/boot_id: is /proc mounted?"};
  return ProcessIdentity{pid, stat->start_ticks, std::move(boot_id)};
}

bool is_running(const ProcessIdentity& process) {
  const auto now = identify(process.pid);
  return now && *now == process;
}

bool send_signal(const ProcessIdentity& process, int signal) {
  const Descriptor held = hold(process);
  return held && ::pidfd_send_signal(held.number(), signal, nullptr, 0) == 0;
}

std::string_view to_string(StopOutcome outcome) {
  switch (outcome) {
    case StopOutcome::was_gone:
      return "was_gone";
    case StopOutcome::stopped:
      return "stopped";
    case StopOutcome::killed:
      return "killed";
    case StopOutcome::running:
      return "running";
    case StopOutcome::forbidden:
      return "forbidden";
  }
  return "unknown";
}

std::vector<StopOutcome> stop_processes(std::span<const ProcessIdentity> processes, Duration grace,
                                        bool kill) {
  std::vector<StopOutcome> outcomes(processes.size(), StopOutcome::was_gone);
  std::vector<Descriptor> held(processes.size());
  for (std::size_t i = 0; i < processes.size(); ++i) held[i] = hold(processes[i]);
  // The last first, as it is promised.
  for (std::size_t i = held.size(); i-- > 0;) {
    if (!held[i]) continue;
    if (::pidfd_send_signal(held[i].number(), SIGTERM, nullptr, 0) == 0)
      outcomes[i] = StopOutcome::running;
    else if (errno == EPERM)
      outcomes[i] = StopOutcome::forbidden;
  }
  const auto collect = [&](Instant until, StopOutcome outcome) {
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i] && outcomes[i] == StopOutcome::running && wait_for_end(held[i], until))
        outcomes[i] = outcome;
  };
  collect(monotonic_now() + grace, StopOutcome::stopped);
  if (!kill) return outcomes;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i] && outcomes[i] == StopOutcome::running)
      ::pidfd_send_signal(held[i].number(), SIGKILL, nullptr, 0);
  collect(monotonic_now() + patience_after_kill, StopOutcome::killed);
  return outcomes;
}

}  // namespace slime::tools

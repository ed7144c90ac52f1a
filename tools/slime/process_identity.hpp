#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"

namespace slime::tools {

/// A process that cannot be confused with a later one of the same number.
struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  ///< Clock ticks from boot to its start.
  std::string boot_id;            ///< Of the kernel it ran on.

  bool operator==(const ProcessIdentity&) const = default;
};

/// The process that has this number now. Errors: not_found (none, or only its corpse), io_error.
Result<ProcessIdentity> identify(pid_t pid);

/// Whether that very process still runs.
bool is_running(const ProcessIdentity& process);

/// Sends `signal` to that very process; nobody else can be hit, for it is held before it is
/// compared. Returns whether it was sent: not to a process that has ended, nor to another user's.
bool send_signal(const ProcessIdentity& process, int signal);

enum class StopOutcome : std::uint8_t {
  was_gone,   ///< It had ended before; nothing was signalled.
  stopped,    ///< It ended when asked to.
  killed,     ///< It ended by SIGKILL.
  running,    ///< It did not end in time.
  forbidden,  ///< It belongs to another user.
};

std::string_view to_string(StopOutcome outcome);

/// Sends SIGTERM to each process that is still the one recorded, waits until it is gone, and with
/// `kill` sends SIGKILL to those that are not after `grace`. Blocks for at most `grace`, and a few
/// seconds more for a killed process to go. Nobody else can be hit: a process is held before it is
/// compared. The last is asked first, and each before the one in front of it is: who depends on
/// another stands behind it. Returns one outcome for each, in order.
std::vector<StopOutcome> stop_processes(std::span<const ProcessIdentity> processes, Duration grace,
                                        bool kill);

}  // namespace slime::tools

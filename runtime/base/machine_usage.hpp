#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/error.hpp"

namespace slime {

/// What this process has used of its machine so far, and what the machine as a whole has done.
struct MachineUsage {
  double cpu_s = 0;                 ///< Of the process, on all processors.
  std::uint64_t memory_bytes = 0;   ///< Of the process, in memory now.
  std::uint64_t machine_ticks = 0;  ///< Time of all the machine's processors, idle included.
  std::uint64_t steal_ticks = 0;    ///< Of that, kept by whoever hosts the machine.
  std::uint32_t run_queue = 0;      ///< Threads of the machine that run or wait to now.
};

/// Files of /proc (proc(5)), as they read.
struct ProcTexts {
  std::string self_stat, self_status, stat, loadavg;
};

/// Errors: corruption (with the file's name).
Result<MachineUsage> parse_usage(const ProcTexts& texts);

/// Reads /proc, some tens of microseconds. Errors: io_error (it is not there), corruption.
Result<MachineUsage> read_usage();

}  // namespace slime

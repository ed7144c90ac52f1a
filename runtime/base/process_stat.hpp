#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace slime {

/// What /proc/PID/stat (proc(5)) tells of a process.
struct ProcessStat {
  char state = 0;                 ///< A letter: 'Z' has ended, 'X' is about to be gone.
  std::uint64_t cpu_ticks = 0;    ///< In the program and in the kernel for it.
  std::uint64_t start_ticks = 0;  ///< Since the machine started.
};

/// Absent: `text` is no such file.
std::optional<ProcessStat> parse_process_stat(const std::string& text);

}  // namespace slime

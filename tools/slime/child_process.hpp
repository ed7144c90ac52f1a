#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/descriptor.hpp"

namespace slime::tools {

/// How a process ended.
struct ProcessExit {
  bool by_signal = false;
  int number = 0;  ///< The signal or the exit code.
};

/// "exit code 2" or "signal 9 (Killed)".
std::string to_string(const ProcessExit& exit);

/// What to start.
struct ChildSpec {
  std::string name;  ///< Unique among the children; names the log file: "worker-0".
  /// The program's path, then its arguments. "/proc/self/exe" is this very program.
  std::vector<std::string> command;
  /// The cluster's secret, at most 4 KiB. It goes through a pipe that the child finds at descriptor
  /// 3 and not through arguments or environment, which other processes can read; `--token-fd 3` is
  /// added to the command. Empty: none.
  std::string token;
  /// "NAME=VALUE", each in place of our own variable of that name.
  std::vector<std::string> environment{};
};

/// A running child in a process group of its own, so that Ctrl-C on the terminal reaches only us.
/// The kernel kills it when the *thread* that started it ends, whatever ends it. Standard input is
/// empty; standard output and error arrive at `output()`. Nothing else of ours is inherited.
/// Confined to one thread.
class ChildProcess {
 public:
  /// Returns once the program runs. Blocks for the fork and exec, a few milliseconds.
  /// Errors: io_error (no such program, no descriptors or processes left).
  static Result<ChildProcess> start(const ChildSpec& spec);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Kills the child and its group and waits for it, unless it was reaped.
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// What the child writes; non-blocking. -1 after `close_output`.
  int output() const { return output_.number(); }
  void close_output() { output_.close(); }
  /// Becomes readable when the child ends.
  int ended() const { return ended_.number(); }

  /// Sends `signal` to the child's whole group. Does nothing once it was reaped.
  void signal(int signal) const;
  /// The exit of a child that has ended, once; kills what is left of its group. Does not block.
  std::optional<ProcessExit> reap();

 private:
  ChildProcess(pid_t pid, Descriptor output, Descriptor ended);

  pid_t pid_;
  bool reaped_ = false;  ///< Then `pid_` may have come to mean another process.
  Descriptor output_;
  Descriptor ended_;
};

/// Reads a secret that `ChildSpec::token` passed. Blocks until the writer closed its end.
/// Errors: io_error, invalid_argument (empty or over 4 KiB).
Result<std::string> read_token(int descriptor);

}  // namespace slime::tools

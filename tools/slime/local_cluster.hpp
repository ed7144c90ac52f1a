#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"
#include "runtime/supervision/restart_policy.hpp"
#include "tools/slime/child_process.hpp"

namespace slime::tools {

/// The end of a child, with what follows from it.
struct ChildEvent {
  std::string name;
  pid_t pid = 0;
  ProcessExit exit;
  Duration lived{};
  std::optional<Duration> restart_in;  ///< Absent: it is not started again.
  std::optional<Error> failure;        ///< Why the attempt to start it failed; `exit` is void then.
};

/// "worker-0 (pid 123) ended by signal 9 (Killed) after 3.2 s; restart in 0.1 s".
std::string to_string(const ChildEvent& event);

/// A child as it is now.
struct ChildState {
  std::string name;
  pid_t pid = 0;  ///< 0: not running.
  unsigned restarts = 0;
};

/// The processes of a cluster on one machine: starts them, keeps their output in bounded log files,
/// starts those again that fail, and stops them. One thread of its own does all of it and waits
/// without polling; since children die with the thread that started them, none outlives this
/// process, even when it is killed.
class LocalCluster {
 public:
  struct Options {
    std::filesystem::path log_directory;  ///< Holds NAME.log and NAME.log.1; created when absent.
    std::uint64_t log_bytes_max = std::uint64_t{8} << 20;  ///< For each child.
    runtime::RestartLimits restart;
    /// Called for every end of a child, on the cluster's thread; must not call the cluster.
    std::function<void(const ChildEvent&)> on_exit;
  };

  /// Starts every child, or none: after an error nothing is left running. Blocks until all run.
  /// Errors: io_error, invalid_argument (names that are not unique).
  static Result<std::unique_ptr<LocalCluster>> start(std::vector<ChildSpec> children,
                                                     Options options);

  /// Kills what still runs.
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  /// Asks every child to end (SIGTERM), kills those that have not after `grace`, and returns once
  /// all are gone. Returns the names of those that were killed. One thread; a second call finds
  /// nothing to stop.
  std::vector<std::string> stop(Duration grace);

  /// Any thread.
  std::vector<ChildState> children() const;

 private:
  class Loop;

  explicit LocalCluster(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace slime::tools

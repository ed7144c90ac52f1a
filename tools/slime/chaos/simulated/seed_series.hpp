#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "tools/slime/chaos/simulated/seed_outcome.hpp"
#include "tools/slime/child_process.hpp"
#include "tools/slime/stop_signals.hpp"

namespace slime::tools {

/// Many seeds, in several processes of this program at once. A process that crashes or hangs costs
/// the seed that it was at, which counts as violated, and no other. Confined to the thread that
/// made it, with which the processes die.
class SeedSeries {
 public:
  struct Settings {
    std::string program = "/proc/self/exe";
    /// Of a command that runs the seeds from `--first`, `--seeds` of them, in its own process, and
    /// tells each in a line of JSON; those two are added.
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  ///< "NAME=VALUE", for these processes.
    std::uint64_t first = 1;
    std::uint64_t seeds = 1;
    unsigned processes = 1;
    Duration stuck_after = std::chrono::seconds(120);  ///< At one seed.
    /// Called for each seed, in the order in which they come.
    std::function<void(const SeedOutcome&)> on_outcome;
  };

  /// `signals` must outlive it.
  SeedSeries(Settings settings, StopSignals& signals);

  /// Blocks until all seeds have run. Errors: unavailable (a signal came: `interrupted`), io_error
  /// (no process can be started), internal (a process gave up; with its last words).
  Status run();
  std::optional<int> interrupted() const { return interrupted_; }

 private:
  struct Range {
    std::uint64_t next;
    std::uint64_t end;
  };
  struct Runner {
    Range range;
    ChildProcess process;
    Instant heard;
    std::string unread{};
    std::string last_words{};
    bool stuck = false;
  };

  Status start_runners();
  void wait();
  void hear(Runner& runner);
  void take_line(Runner& runner, const std::string& line);
  /// The runner's process has ended.
  Status ended(const Runner& runner, const ProcessExit& exit);

  Settings settings_;
  StopSignals& signals_;
  std::deque<Range> waiting_;
  std::list<Runner> runners_;
  std::optional<int> interrupted_;
};

}  // namespace slime::tools

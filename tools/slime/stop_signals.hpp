#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <optional>

#include "runtime/base/clock.hpp"

namespace slime::tools {

/// A signal that asks this process to end.
struct StopSignal {
  int number = 0;
  pid_t sender = 0;  ///< 0: nobody that this process could know, such as the terminal.
};

/// What SIGUSR1 is to a process. Batch systems send it some time before they end a job, to all of
/// its processes: `--signal=USR1@SECONDS` of Slurm.
enum class EarlyWarning : std::uint8_t {
  ends,     ///< Asks it to end, as SIGTERM does.
  ignored,  ///< Is for somebody else, whom this process serves until SIGTERM.
};

/// SIGINT, SIGTERM and SIGUSR1 as something to wait for; one at a time in a process. Make it before
/// other threads, because they inherit that the signals are blocked: system calls are then
/// interrupted only where they may be. When it goes the signals mean again what they meant before,
/// so one that comes then ends a process that takes too long to clean up. Confined to the thread
/// that made it, except `wake`.
class StopSignals {
 public:
  explicit StopSignals(EarlyWarning warning = EarlyWarning::ends);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Blocks until one of the signals arrives and returns it; nothing when `within` has
  /// passed or somebody called `wake`.
  std::optional<StopSignal> wait(std::optional<Duration> within = std::nullopt);
  /// Takes every signal that has arrived and was not waited for. Returns the first; never blocks.
  std::optional<StopSignal> take_all();
  /// The same, and from now on the signals do nothing, for good: for a process that is about to end
  /// in order, which one more of them would turn into a death by signal.
  std::optional<StopSignal> take_last();
  /// Makes the present `wait`, or the next one, return. Any thread.
  void wake();

 private:
  /// Whether the signal asks to end; a wake and what is ignored do not.
  bool ends(int signal) const;
  void restore();

  const EarlyWarning warning_;
  sigset_t signals_;
  sigset_t mask_before_;
  std::array<struct sigaction, 3> before_;  ///< As `handled` lists them.
  pthread_t waiter_;
  bool ignored_ = false;
};

}  // namespace slime::tools

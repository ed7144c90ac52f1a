#pragma once

#include <pthread.h>

#include <csignal>
#include <optional>

#include "runtime/base/clock.hpp"

namespace slime::tools {

/// SIGINT and SIGTERM as something to wait for. Make it before any other thread, because threads
/// inherit that the signals are blocked. When it goes they mean again what they meant before, so a
/// signal ends a process that takes too long to clean up. Confined to the thread that made it,
/// except `wake`.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Blocks until one of the signals arrives and returns its number; nothing when `within` has
  /// passed or somebody called `wake`.
  std::optional<int> wait(std::optional<Duration> within = std::nullopt);
  /// Makes the present `wait`, or the next one, return. Any thread.
  void wake();

 private:
  sigset_t signals_;
  sigset_t before_;
  pthread_t waiter_;
};

}  // namespace slime::tools

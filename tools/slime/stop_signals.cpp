#include "tools/slime/stop_signals.hpp"

#include <ctime>

namespace slime::tools {

namespace {

constexpr int wake_signal = SIGUSR1;

timespec to_timespec(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {seconds.count(), (duration - seconds).count()};
}

}  // namespace

StopSignals::StopSignals() : waiter_(::pthread_self()) {
  ::sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, wake_signal}) ::sigaddset(&signals_, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

StopSignals::~StopSignals() {
  // A wake that nobody waited for would end the process, for that is what the signal means.
  sigset_t wake;
  ::sigemptyset(&wake);
  ::sigaddset(&wake, wake_signal);
  const timespec now{};
  while (::sigtimedwait(&wake, nullptr, &now) > 0) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> StopSignals::wait(std::optional<Duration> within) {
  const timespec limit = to_timespec(within.value_or(Duration::zero()));
  const int signal =
      within ? ::sigtimedwait(&signals_, nullptr, &limit) : ::sigwaitinfo(&signals_, nullptr);
  // Interrupted waits, as after SIGSTOP and SIGCONT, look like the end of the time: callers loop.
  if (signal <= 0 || signal == wake_signal) return std::nullopt;
  return signal;
}

void StopSignals::wake() {
  ::pthread_kill(waiter_, wake_signal);
}

}  // namespace slime::tools

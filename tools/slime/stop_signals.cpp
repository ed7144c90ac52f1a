#include "tools/slime/stop_signals.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <tuple>

namespace slime::tools {

namespace {

constexpr std::array handled{SIGINT, SIGTERM, SIGUSR1};
constexpr int wake_signal = SIGUSR2;

std::atomic<pthread_t> forward_to;

/// Runs on threads that do not block the signals, such as those that a library started when it was
/// loaded; on the waiting one they are always blocked. The sender goes along as the value, because
/// the kernel lets no thread pass a signal on under the name of another process.
extern "C" void forward(int signal, siginfo_t* info, void*) {
  const int error_number = errno;
  ::pthread_sigqueue(forward_to, signal, {.sival_int = info->si_pid});
  errno = error_number;
}

timespec to_timespec(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {seconds.count(), (duration - seconds).count()};
}

StopSignal stop_signal_of(const siginfo_t& info) {
  const bool forwarded = info.si_code == SI_QUEUE && info.si_pid == ::getpid();
  return {info.si_signo, forwarded ? info.si_value.sival_int : info.si_pid};
}

}  // namespace

StopSignals::StopSignals(EarlyWarning warning) : warning_(warning), waiter_(::pthread_self()) {
  static_assert(std::tuple_size_v<decltype(before_)> == handled.size());
  ::sigemptyset(&signals_);
  for (const int signal : handled) ::sigaddset(&signals_, signal);
  ::sigaddset(&signals_, wake_signal);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
  forward_to = waiter_;
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (std::size_t i = 0; i < handled.size(); ++i) ::sigaction(handled[i], &action, &before_[i]);
}

StopSignals::~StopSignals() {
  // What nobody waited for would end the process now, such as the second signal of `timeout`, or a
  // wake, for that is what the signal means.
  take_all();
  if (!ignored_) restore();
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void StopSignals::restore() {
  for (std::size_t i = 0; i < handled.size(); ++i) ::sigaction(handled[i], &before_[i], nullptr);
}

bool StopSignals::ends(int signal) const {
  return signal != wake_signal && (signal != SIGUSR1 || warning_ == EarlyWarning::ends);
}

std::optional<StopSignal> StopSignals::wait(std::optional<Duration> within) {
  const timespec limit = to_timespec(within.value_or(Duration::zero()));
  siginfo_t info{};
  const int signal =
      within ? ::sigtimedwait(&signals_, &info, &limit) : ::sigwaitinfo(&signals_, &info);
  // Interrupted waits, as after SIGSTOP and SIGCONT, look like the end of the time: callers loop.
  if (signal <= 0 || !ends(signal)) return std::nullopt;
  return stop_signal_of(info);
}

std::optional<StopSignal> StopSignals::take_all() {
  std::optional<StopSignal> first;
  siginfo_t info{};
  const timespec now{};
  while (::sigtimedwait(&signals_, &info, &now) > 0)
    if (ends(info.si_signo) && !first) first = stop_signal_of(info);
  return first;
}

std::optional<StopSignal> StopSignals::take_last() {
  const auto first = take_all();
  ignored_ = true;
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  for (const int signal : handled) ::sigaction(signal, &action, nullptr);
  return first;
}

void StopSignals::wake() {
  ::pthread_kill(waiter_, wake_signal);
}

}  // namespace slime::tools

#include "tools/bench/hardship.hpp"

#include <sched.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tools/bench/training_run.hpp"

namespace slime::bench {

namespace {

using namespace std::chrono_literals;

constexpr auto stopped_for = 30ms;
constexpr auto running_for = 10ms;

// The last one that we may use, which no process is given first.
int processor() {
  cpu_set_t ours;
  CPU_ZERO(&ours);
  (void)::sched_getaffinity(0, sizeof ours, &ours);
  int last = 0;
  for (int each = 0; each < CPU_SETSIZE; ++each)
    if (CPU_ISSET(each, &ours)) last = each;
  return last;
}

bool pin(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor(), &set);
  return ::sched_setaffinity(thread, sizeof set, &set) == 0;
}

bool pin_all_threads(pid_t process) {
  bool all = true;
  std::error_code gone;
  std::filesystem::directory_iterator thread("/proc/" + std::to_string(process) + "/task", gone);
  for (; !gone && thread != std::filesystem::directory_iterator(); thread.increment(gone))
    all = pin(std::stoi(thread->path().filename())) && all;
  return all && !gone;
}

void throttle(const std::stop_token& stop, pid_t process) {
  while (!stop.stop_requested() && ::kill(process, SIGSTOP) == 0) {
    std::this_thread::sleep_for(stopped_for);
    ::kill(process, SIGCONT);
    std::this_thread::sleep_for(running_for);
  }
}

}  // namespace

void Hardship::look_at(pid_t train) {
  if (begun()) return;
  const auto throttled = find_child(train, "worker-0");
  const auto crowded = find_child(train, "worker-1");
  // A thread that ends meanwhile cannot be pinned: another look follows.
  if (!throttled || !crowded || !pin_all_threads(*crowded)) return;
  hog_ = std::jthread([](const std::stop_token& stop) {
    pin(0);
    while (!stop.stop_requested()) {
    }
  });
  throttle_ = std::jthread(throttle, *throttled);
}

}  // namespace slime::bench

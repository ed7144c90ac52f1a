#include "tools/bench/hardship.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tools/bench/training_run.hpp"

namespace slime::bench {

namespace {

using namespace std::chrono_literals;

constexpr auto stopped_for = 30ms;
constexpr auto running_for = 10ms;

// The last one, which no process is given first.
int processor() {
  return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)) - 1;
}

void pin(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor(), &set);
  (void)::sched_setaffinity(thread, sizeof set, &set);
}

void pin_all_threads(pid_t process) {
  std::error_code gone;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", gone))
    pin(std::stoi(thread.path().filename()));
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
  if (!throttled || !crowded) return;
  pin_all_threads(*crowded);
  hog_ = std::jthread([](const std::stop_token& stop) {
    pin(0);
    while (!stop.stop_requested()) {
    }
  });
  throttle_ = std::jthread(throttle, *throttled);
}

}  // namespace slime::bench

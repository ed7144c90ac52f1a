#pragma once

#include <sys/types.h>

#include <optional>
#include <thread>

namespace slime::bench {

/// Makes two workers of a run slow for real: one process is stopped for three quarters of every
/// 40 ms, another one shares its processor with a thread that never rests. Ends with the object,
/// which must not outlive the run.
class Hardship {
 public:
  Hardship() = default;
  Hardship(const Hardship&) = delete;
  Hardship& operator=(const Hardship&) = delete;

  /// Begins once both workers of the run's process `train` are there; to be called until then.
  void look_at(pid_t train);
  bool begun() const { return throttle_.joinable(); }

 private:
  std::jthread throttle_;
  std::jthread hog_;
};

}  // namespace slime::bench

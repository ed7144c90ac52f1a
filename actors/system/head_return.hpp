#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"
#include "runtime/base/log_level.hpp"

namespace slime::actors {

/// A member's wait for the next process of a head that it has lost: tries to join again, with
/// pauses that grow to a second, until that succeeds, cannot succeed any more, or took too long.
/// One thread of its own does it. Any thread may call; only `stop` blocks.
class HeadReturn {
 public:
  /// What to do, called on the thread.
  struct Steps {
    /// Joins again, blocking for about that long at most, and returns the head's incarnation.
    /// Errors of which another attempt may be rid: unavailable, timeout, overloaded.
    std::function<Result<std::uint64_t>(Duration within)> rejoin;
    /// Must not block for long.
    std::function<void(const Error& why)> give_up;
    std::function<void(LogLevel, const std::string&)> log;
  };

  HeadReturn(Duration limit, Steps steps);
  ~HeadReturn();
  HeadReturn(const HeadReturn&) = delete;
  HeadReturn& operator=(const HeadReturn&) = delete;

  /// That incarnation of the head is gone, and why. May be told more than once, and late.
  void lost(std::uint64_t incarnation, const Error& why);
  /// The head said goodbye: it is not waited for.
  void left();
  /// Ends the wait, if there is one. Blocks while a step is under way.
  void stop();

 private:
  struct Loss {
    std::uint64_t incarnation;
    Error why;
  };

  void run();
  /// The incarnation that is back; nothing when the wait is over without one.
  std::optional<std::uint64_t> await(const Error& why);

  const Duration limit_;
  const Steps steps_;
  std::mutex mutex_;  // Guards what follows but the thread.
  std::condition_variable changed_;
  std::optional<Loss> lost_;  // Not attended to yet.
  bool left_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace slime::actors

#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "runtime/base/clock.hpp"

namespace slime::runtime {

/// The asks and timers of one actor by when they are due, so that one wake-up of the clock serves
/// them all: CAF keeps every request's timeout until it passes, answered or not.
class Deadlines {
 public:
  struct Due {
    enum class What : std::uint8_t { ask, timer };
    What what;
    std::uint64_t id;
  };
  using Handle = std::multimap<Instant, Due>::iterator;

  Handle add(Instant when, Due due) { return entries_.emplace(when, due); }
  void remove(Handle handle) { entries_.erase(handle); }

  /// Takes out the earliest entry that is due at `now`.
  std::optional<Due> take(Instant now) {
    if (entries_.empty() || entries_.begin()->first > now) return std::nullopt;
    const Due due = entries_.begin()->second;
    entries_.erase(entries_.begin());
    return due;
  }

  /// When the clock must be asked for a wake-up, given the one it has been asked for; none when
  /// that one is early enough.
  std::optional<Instant> next_wake(std::optional<Instant> armed) const {
    if (entries_.empty()) return std::nullopt;
    const Instant first = entries_.begin()->first;
    if (armed && *armed <= first) return std::nullopt;
    return first;
  }

 private:
  std::multimap<Instant, Due> entries_;
};

}  // namespace slime::runtime

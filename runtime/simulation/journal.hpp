#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "runtime/actor/host.hpp"

namespace slime::runtime {

/// A line that an actor logged.
struct LogLine {
  Instant time;
  ActorAddress actor;
  LogLevel level;
  std::string text;
};

/// What the actors of a simulation logged, the newest lines only.
class Journal {
 public:
  void write(Instant time, const ActorAddress& actor, LogLevel level, std::string_view text) {
    lines_.push_back(LogLine{time, actor, level, std::string(text)});
    if (lines_.size() > limit_) lines_.pop_front();
  }
  /// Oldest first.
  const std::deque<LogLine>& lines() const { return lines_; }
  /// How many lines are kept from now on.
  void set_limit(std::size_t lines) {
    limit_ = lines;
    while (lines_.size() > limit_) lines_.pop_front();
  }

 private:
  std::size_t limit_ = 10000;
  std::deque<LogLine> lines_;
};

}  // namespace slime::runtime

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/actor/host.hpp"

namespace slime::tests {

/// Notes what one actor does to its host.
class NotingHost final : public runtime::Host {
 public:
  struct Asked {
    std::uint64_t ask;
    ActorAddress to;
    runtime::AnyMessage message;
    Duration deadline;
  };

  ActorAddress self() const noexcept override { return ActorAddress{NodeId{1, 1}, 1, 20}; }
  Instant now() const noexcept override { return time; }
  bool tell(const ActorAddress&, const runtime::AnyMessage&) noexcept override { return has_room; }
  void ask(std::uint64_t ask, const ActorAddress& to, const runtime::AnyMessage& message,
           Duration deadline) noexcept override {
    asks.push_back({ask, to, message, deadline});
  }
  void answer(std::uint64_t request, const runtime::AnyMessage& message) noexcept override {
    answers.emplace_back(request, message);
  }
  void start_timer(std::uint64_t timer, Duration delay) noexcept override {
    timers.emplace_back(timer, delay);
  }
  void watch(const ActorAddress& target) noexcept override { watched.push_back(target); }
  void stop(const runtime::AnyMessage& reason) noexcept override { stopped = reason; }
  void log(LogLevel, const char* text, std::size_t length) noexcept override {
    lines.emplace_back(text, length);
  }

  Instant time{};
  bool has_room = true;
  std::vector<Asked> asks;
  std::vector<std::pair<std::uint64_t, runtime::AnyMessage>> answers;
  std::vector<std::pair<std::uint64_t, Duration>> timers;
  std::vector<ActorAddress> watched;
  std::vector<std::string> lines;
  std::optional<runtime::AnyMessage> stopped;
};

}  // namespace slime::tests

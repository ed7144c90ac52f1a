#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

#include "runtime/actor/host.hpp"

namespace slime::runtime {

/// The actor through which the world outside a simulation tells and asks. Nobody else calls it.
class Outside final : public Behaviour {
 public:
  using Done = std::function<void(const AnyMessage&)>;

  explicit Outside(Host& host) : host_(host) {}

  void tell(const ActorAddress& to, const AnyMessage& message) { host_.tell(to, message); }
  void ask(const ActorAddress& to, const AnyMessage& message, Duration deadline, Done done) {
    done_.emplace(++last_, std::move(done));
    host_.ask(last_, to, message, deadline);
  }

 private:
  void started() noexcept override {}
  void received(const ActorAddress&, std::uint64_t, const AnyMessage&) noexcept override {}
  void answered(std::uint64_t ask, const AnyMessage& message) noexcept override {
    // Taken out first: it may ask again. Nobody waits any more for what comes after a timeout.
    if (const auto waiting = done_.extract(ask)) waiting.mapped()(message);
  }
  void timer_fired(std::uint64_t) noexcept override {}
  void down(const ActorAddress&, const AnyMessage&) noexcept override {}
  void stopping(const AnyMessage&) noexcept override {}

  Host& host_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, Done> done_;
};

}  // namespace slime::runtime

#include "tools/slime/simulation/timed_actor.hpp"

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

namespace slime::tools {

namespace {

double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class TimedActor final : public runtime::Behaviour {
 public:
  TimedActor(std::unique_ptr<runtime::Behaviour> inner, std::uint64_t message, TurnTimes& times)
      : inner_(std::move(inner)), message_(message), times_(times) {}

  void started() noexcept override { inner_->started(); }
  void received(const ActorAddress& sender, std::uint64_t request,
                const runtime::AnyMessage& message) noexcept override {
    if (message.type != message_) return inner_->received(sender, request, message);
    const double before = thread_seconds();
    inner_->received(sender, request, message);
    const double taken = thread_seconds() - before;
    ++times_.count;
    times_.total_s += taken;
    times_.longest_s = std::max(times_.longest_s, taken);
  }
  void answered(std::uint64_t ask, const runtime::AnyMessage& message) noexcept override {
    inner_->answered(ask, message);
  }
  void timer_fired(std::uint64_t timer) noexcept override { inner_->timer_fired(timer); }
  void down(const ActorAddress& target, const runtime::AnyMessage& failure) noexcept override {
    inner_->down(target, failure);
  }
  void stopping(const runtime::AnyMessage& reason) noexcept override { inner_->stopping(reason); }

 private:
  std::unique_ptr<runtime::Behaviour> inner_;
  std::uint64_t message_;
  TurnTimes& times_;
};

}  // namespace

runtime::ActorType timed(const runtime::ActorType& type, std::uint64_t message, TurnTimes& times) {
  return {type.name, type.turns,
          [make = type.make, message, &times](runtime::Host& host, const runtime::AnyMessage& spec)
              -> std::unique_ptr<runtime::Behaviour> {
            return std::make_unique<TimedActor>(make(host, spec), message, times);
          }};
}

}  // namespace slime::tools

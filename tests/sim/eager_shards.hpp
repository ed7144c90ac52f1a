#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "actors/training/types.hpp"
#include "runtime/actor/host.hpp"
#include "schemas/training.capnp.h"

namespace slime::tests {

/// A planted bug: a shard that takes its standby to have a push or a commit as soon as it has sent
/// it. The actor is the real one; what runs it answers in the standby's name.
class EagerShard final : public runtime::Behaviour {
 public:
  EagerShard(runtime::Host& host, const runtime::ActorType& usual, const runtime::AnyMessage& spec)
      : host_(host), inner_(usual.make(host_, spec)) {}

  void started() noexcept override { inner_->started(); }
  void received(const ActorAddress& sender, std::uint64_t request,
                const runtime::AnyMessage& message) noexcept override {
    inner_->received(sender, request, message);
  }
  void answered(std::uint64_t ask, const runtime::AnyMessage& message) noexcept override {
    inner_->answered(ask, message);
  }
  void timer_fired(std::uint64_t timer) noexcept override {
    const auto hasty = host_.hasty.extract(timer);
    if (hasty.empty()) return inner_->timer_fired(timer);
    inner_->answered(hasty.mapped().first, hasty.mapped().second);
  }
  void down(const ActorAddress& target, const runtime::AnyMessage& failure) noexcept override {
    inner_->down(target, failure);
  }
  void stopping(const runtime::AnyMessage& reason) noexcept override { inner_->stopping(reason); }

 private:
  /// The real host, but for what is asked of a standby.
  struct HastyHost final : runtime::Host {
    explicit HastyHost(runtime::Host& real) : host(real) {}

    ActorAddress self() const noexcept override { return host.self(); }
    Instant now() const noexcept override { return host.now(); }
    bool tell(const ActorAddress& to, const runtime::AnyMessage& message) noexcept override {
      return host.tell(to, message);
    }
    void ask(std::uint64_t ask, const ActorAddress& to, const runtime::AnyMessage& message,
             Duration deadline) noexcept override {
      host.ask(ask, to, message, deadline);
      if (message.type == runtime::type_id<schema::Push>())
        answer_soon(ask, runtime::Message<schema::Pushed>::make().any());
      if (message.type == runtime::type_id<schema::Commit>())
        answer_soon(ask, runtime::Message<schema::Committed>::make().any());
    }
    void answer(std::uint64_t request, const runtime::AnyMessage& message) noexcept override {
      host.answer(request, message);
    }
    void start_timer(std::uint64_t timer, Duration delay) noexcept override {
      host.start_timer(timer, delay);
    }
    void watch(const ActorAddress& target) noexcept override { host.watch(target); }
    void stop(const runtime::AnyMessage& reason) noexcept override { host.stop(reason); }
    void log(LogLevel level, const char* text, std::size_t length) noexcept override {
      host.log(level, text, length);
    }

    void answer_soon(std::uint64_t ask, const runtime::AnyMessage& message) {
      // Actors count their timers up from 0.
      hasty[--newest] = {ask, message};
      host.start_timer(newest, Duration::zero());
    }

    runtime::Host& host;
    std::map<std::uint64_t, std::pair<std::uint64_t, runtime::AnyMessage>> hasty;  ///< By timer.
    std::uint64_t newest = 0;
  };

  HastyHost host_;
  std::unique_ptr<runtime::Behaviour> inner_;
};

/// What every node can run, with that bug.
inline runtime::Catalogue with_eager_shards() {
  auto catalogue = actors::training_types();
  const auto found = std::ranges::find(catalogue, "parameter_shard", &runtime::ActorType::name);
  found->make = [usual = *found](
                    runtime::Host& host,
                    const runtime::AnyMessage& spec) -> std::unique_ptr<runtime::Behaviour> {
    return std::make_unique<EagerShard>(host, usual, spec);
  };
  return catalogue;
}

}  // namespace slime::tests

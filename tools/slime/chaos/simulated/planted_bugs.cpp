#include "tools/slime/chaos/simulated/planted_bugs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/wire/message.hpp"
#include "schemas/training.capnp.h"

namespace slime::tools {

namespace {

// A shard of a small job takes some ten to fifty.
constexpr std::uint64_t pushes_kept = 12;

/// A shard that says of one push that it has it, and throws it away.
class EarlyShard final : public runtime::Behaviour {
 public:
  EarlyShard(std::unique_ptr<runtime::Behaviour> inner, runtime::Host& host)
      : inner_(std::move(inner)), host_(host) {}

  void started() noexcept override { inner_->started(); }
  void received(const ActorAddress& sender, std::uint64_t request,
                const runtime::AnyMessage& message) noexcept override {
    const bool push = message.type == runtime::type_id<schema::Push>();
    if (push && ++pushes_ == pushes_kept + 1)
      return host_.answer(request, runtime::Message<schema::Pushed>::make().any());
    inner_->received(sender, request, message);
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
  runtime::Host& host_;
  std::uint64_t pushes_ = 0;
};

runtime::Catalogue with_early_shards(runtime::Catalogue catalogue) {
  const auto shard = std::ranges::find(catalogue, "parameter_shard", &runtime::ActorType::name);
  shard->make = [usual = shard->make](
                    runtime::Host& host,
                    const runtime::AnyMessage& spec) -> std::unique_ptr<runtime::Behaviour> {
    return std::make_unique<EarlyShard>(usual(host, spec), host);
  };
  return catalogue;
}

}  // namespace

std::span<const PlantedBug> planted_bugs() {
  static constexpr std::array all{
      PlantedBug{"early_ack", "a shard acknowledges one push that it does not keep",
                 with_early_shards},
  };
  return all;
}

}  // namespace slime::tools

#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "actors/training/protocols.hpp"
#include "actors/training/types.hpp"
#include "runtime/actor/actor.hpp"

namespace slime::tests {

/// An actor that dies while it loads what it needs, as one that runs out of memory.
template <class Protocol>
class Mortal final : public runtime::Actor<Protocol> {
 public:
  explicit Mortal(runtime::Host& host) : runtime::Actor<Protocol>(host) {}

 private:
  void on_start() override { throw std::bad_alloc(); }
};

/// What every node can run, but those of `type` die where `deadly` says so.
template <class Protocol>
runtime::Catalogue with_mortals(std::string_view type, std::function<bool(NodeId)> deadly) {
  auto catalogue = actors::training_types();
  const auto found = std::ranges::find(catalogue, type, &runtime::ActorType::name);
  found->make = [deadly = std::move(deadly), usual = found->make](
                    runtime::Host& host,
                    const runtime::AnyMessage& spec) -> std::unique_ptr<runtime::Behaviour> {
    if (!deadly(host.self().node)) return usual(host, spec);
    return std::make_unique<Mortal<Protocol>>(host);
  };
  return catalogue;
}

inline runtime::Catalogue with_mortal_workers(std::function<bool(NodeId)> deadly) {
  return with_mortals<actors::WorkerProtocol>("worker", std::move(deadly));
}

inline runtime::Catalogue with_mortal_shards(std::function<bool(NodeId)> deadly) {
  return with_mortals<actors::ParameterShardProtocol>("parameter_shard", std::move(deadly));
}

}  // namespace slime::tests

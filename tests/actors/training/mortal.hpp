#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "actors/training/protocols.hpp"
#include "actors/training/types.hpp"
#include "runtime/actor/actor.hpp"

namespace slime::tests {

/// A worker that dies while it loads its data, as one that runs out of memory.
class Mortal final : public runtime::Actor<actors::WorkerProtocol> {
 public:
  explicit Mortal(runtime::Host& host) : Actor(host) {}

 private:
  void on_start() override { throw std::bad_alloc(); }
};

/// What every node can run, but with workers that die where `deadly` says so.
inline runtime::Catalogue with_mortals(std::function<bool(NodeId)> deadly) {
  auto catalogue = actors::training_types();
  const auto worker = std::ranges::find(catalogue, "worker", &runtime::ActorType::name);
  worker->make = [deadly = std::move(deadly), usual = worker->make](
                     runtime::Host& host,
                     const runtime::AnyMessage& spec) -> std::unique_ptr<runtime::Behaviour> {
    if (!deadly(host.self().node)) return usual(host, spec);
    return std::make_unique<Mortal>(host);
  };
  return catalogue;
}

}  // namespace slime::tests

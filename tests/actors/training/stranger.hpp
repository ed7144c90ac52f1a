#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "actors/training/protocols.hpp"
#include "actors/training/types.hpp"
#include "runtime/actor/actor.hpp"

namespace slime::tests {

/// A worker that says of itself what it is told to.
class Stranger final : public runtime::Actor<actors::WorkerProtocol> {
 public:
  using Says = Result<runtime::Message<schema::Description>>;

  Stranger(runtime::Host& host, Says says) : Actor(host), says_(std::move(says)) {
    on(&Stranger::describe);
  }

 private:
  void describe(const runtime::Message<schema::Describe>&,
                runtime::Reply<schema::Description> reply) {
    if (says_)
      reply.send(*says_);
    else
      reply.fail(says_.error());
  }

  Says says_;
};

/// What every node can run, but with a worker of its own making where `strange` says so.
inline runtime::Catalogue with_strangers(std::function<bool(NodeId)> strange,
                                         const Stranger::Says& says) {
  auto catalogue = actors::training_types();
  const auto worker = std::ranges::find(catalogue, "worker", &runtime::ActorType::name);
  worker->make = [strange = std::move(strange), says, usual = worker->make](
                     runtime::Host& host, const runtime::AnyMessage& spec) {
    if (!strange(host.self().node)) return usual(host, spec);
    return std::unique_ptr<runtime::Behaviour>(std::make_unique<Stranger>(host, says));
  };
  return catalogue;
}

/// A description of the small data, but with `inputs` numbers per sample and another hash.
inline runtime::Message<schema::Description> strange_description(std::uint64_t inputs = 4) {
  return runtime::Message<schema::Description>::make([&](schema::Description::Builder root) {
    root.setSamples(103);
    root.setTestSamples(20);
    root.setInputs(inputs);
    root.setDataHash(1);
  });
}

}  // namespace slime::tests

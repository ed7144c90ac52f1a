#pragma once

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "runtime/link/local_actors.hpp"
#include "runtime/link/peer_events.hpp"

namespace slime::bench {

/// The actors of a link without a node: their numbers are the ids that the actor system gives them.
/// Any thread.
class NumberedActors final : public runtime::LocalActors {
 public:
  explicit NumberedActors(runtime::PeerIdentity self) : self_(std::move(self)) {}

  caf::strong_actor_ptr find(std::uint64_t number) override {
    const std::lock_guard lock(mutex_);
    const auto found = actors_.find(number);
    return found == actors_.end() ? nullptr : found->second.lock();
  }
  ActorAddress address_of(const caf::strong_actor_ptr& actor) override {
    const std::lock_guard lock(mutex_);
    actors_.try_emplace(actor->id(), actor.get());
    return {self_.node, self_.incarnation, actor->id()};
  }

 private:
  const runtime::PeerIdentity self_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, caf::weak_actor_ptr> actors_;
};

}  // namespace slime::bench

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "runtime/simulation/simulation.hpp"
#include "tests/support/puppet.hpp"

namespace slime::tests {

/// A simulation with two nodes and the means to put puppets on them.
struct Stage {
  explicit Stage(std::uint64_t seed = 1, const runtime::LinkModel& link = {})
      : simulation(seed, link) {}

  /// A new puppet, alive until its actor ends. `made` hangs things on it before its first turn.
  Puppet& puppet(NodeId node, std::uint64_t number = 0,
                 const std::function<void(Puppet&)>& made = nullptr) {
    Puppet* puppet = nullptr;
    const auto type = puppet_type([&](Puppet& fresh) {
      puppet = &fresh;
      if (made) made(fresh);
    });
    (void)simulation.spawn(node, type, {}, number).value();
    return *puppet;
  }
  void run_for(Duration duration) { simulation.run_until(simulation.now() + duration); }

  runtime::Simulation simulation;
  const NodeId left = simulation.add_node("left");
  const NodeId right = simulation.add_node("right");
};

}  // namespace slime::tests

#pragma once

#include <chrono>

#include "runtime/base/clock.hpp"

namespace slime::runtime {

/// How the simulated links between nodes behave. Messages within a node, and to and from the
/// outside of the cluster, are never lost and take at most a microsecond.
struct LinkModel {
  /// One way; drawn uniformly for each message, then raised to keep the link's order.
  Duration delay_min = std::chrono::microseconds(50);
  Duration delay_max = std::chrono::microseconds(500);
  /// Chance that a tell, an ask or an answer vanishes. Deaths are always reported.
  double loss = 0;
  /// How long a node must be silent before the others declare it dead.
  Duration detection = std::chrono::seconds(5);
  /// Bytes per second from one node to another; 0: infinite.
  double bandwidth = 0;
};

}  // namespace slime::runtime

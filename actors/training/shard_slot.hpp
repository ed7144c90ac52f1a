#pragma once

#include <cstdint>

#include "actors/training/protocols.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/ids.hpp"
#include "trainer/optim/parameter_range.hpp"

namespace slime::actors {

/// A shard's standby, as the coordinator sees it.
struct StandbyPlace {
  enum class State : std::uint8_t {
    vacant,
    starting,
    filling,  ///< It is there, and the shard sends it what it has.
    ready,    ///< It has all that was acknowledged, until the coordinator notes that it is lost.
  };
  State state = State::vacant;
  ParameterShard standby{};
  NodeId node{};
  std::uint64_t attempt = 0;  ///< To start it: what becomes of an earlier one is nothing to it.
  std::uint64_t term = 0;     ///< In which the shard was asked to send it everything.
  Instant vacant_since{};
  Instant not_before{};  ///< Of the next attempt to fill it.
  int lost = 0;          ///< In a row, before they were ready.
};

/// A shard's place in the job. Plain data of the coordinator.
struct ShardSlot {
  ParameterShard shard;
  trainer::ParameterRange range;
  bool prepared = false;
  StandbyPlace standby{};
};

}  // namespace slime::actors

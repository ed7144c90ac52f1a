#pragma once

#include "actors/training/protocols.hpp"
#include "trainer/optim/parameter_range.hpp"

namespace slime::actors {

/// A parameter shard's place in the job.
struct ShardSlot {
  ParameterShard shard;
  trainer::ParameterRange range;
  bool prepared = false;
};

}  // namespace slime::actors

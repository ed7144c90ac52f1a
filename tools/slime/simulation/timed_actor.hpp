#pragma once

#include <cstdint>

#include "runtime/actor/catalogue.hpp"

namespace slime::tools {

/// Processor time that turns took.
struct TurnTimes {
  std::uint64_t count = 0;
  double total_s = 0;
  double longest_s = 0;
};

/// The same actor type, with the processor time of each of its turns over a message of type
/// `message` added to `times`, which outlives the actors. What they do stays the same.
runtime::ActorType timed(const runtime::ActorType& type, std::uint64_t message, TurnTimes& times);

}  // namespace slime::tools

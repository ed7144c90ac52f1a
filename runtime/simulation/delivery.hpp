#pragma once

#include <cstdint>

#include "runtime/base/clock.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

/// When every simulation starts. Not zero, so that an instant that was never set stands out.
inline constexpr Instant simulation_start{std::chrono::hours(1)};

enum class DeliveryKind : std::uint8_t { start, tell, ask, answer, timer, down };

/// One turn that the simulation is about to give to an actor.
struct Delivery {
  DeliveryKind kind;
  ActorAddress from;  ///< None for a start or a timer; the dead actor for a down.
  ActorAddress to;
  const AnyMessage& message;  ///< Valid during the observer's call.
  Instant now;
};

/// What an observer has done with a delivery.
enum class Verdict : std::uint8_t {
  deliver,
  drop,  ///< Lost on the way. Starts, timers, downs and the host's own failures are never lost.
  kill_receiver_before,  ///< The message finds its receiver dead.
  kill_receiver_after,   ///< The receiver dies right after its turn.
  kill_sender,           ///< The sender dies; what it sent still arrives.
};

}  // namespace slime::runtime

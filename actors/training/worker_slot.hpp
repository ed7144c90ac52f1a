#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "actors/training/protocols.hpp"
#include "runtime/actor/actor.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/ids.hpp"
#include "trainer/sync/work_ledger.hpp"

namespace slime::actors {

/// A worker's place in the job, as the coordinator sees it. Whoever fills it is known by its
/// address.
struct WorkerSlot {
  enum class State : std::uint8_t { vacant, spawning, described, working };
  State state = State::vacant;
  Worker worker;
  NodeId node;
  Instant vacant_since{};
  int lost_loading = 0;        ///< Workers in a row that died before they told of their data.
  bool silent = false;         ///< Its worker has not told of its data for very long.
  std::string absent_because;  ///< Said; empty once there is a worker again.
  Instant not_before{};        ///< Of the next attempt to fill it.
  std::uint64_t sequence = 0;  ///< Of the last Next.
  bool ahead = false;          ///< It takes a group ahead.
  std::optional<runtime::Reply<schema::Grant>> waiting;
  std::optional<Instant> paused_since;  ///< It waits only because leases pause.
  std::optional<runtime::Message<schema::Grant>>
      granted;  ///< Answer to `sequence`, for repetitions.
  std::uint64_t seal_sequence = 0;
  trainer::GroupId sealed = 0;  ///< Answer to `seal_sequence`.

  /// Forgets what it asked: its worker begins a term, or another one begins.
  void begin_anew() {
    waiting.reset();
    granted.reset();
    sequence = seal_sequence = 0;
  }
};

}  // namespace slime::actors

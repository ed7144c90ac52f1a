#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/simulation/event_queue.hpp"

namespace slime::runtime {

/// An ask or a watch from its start until its end was delivered.
struct Call {
  enum class Kind : std::uint8_t { ask, watch };

  Kind kind = Kind::ask;
  bool received = false;  ///< The target has it and may answer.
  bool ended = false;     ///< Its answer or its down is on the way.
  bool local = false;     ///< That end was made by the asker's own host and cannot be lost.
  std::uint32_t asker = 0;
  std::uint32_t target = 0;
  std::uint64_t ask = 0;      ///< The asker's own id of it.
  ActorAddress address = {};  ///< What the asker called; may name no actor.
  Duration wait = {};
  EventQueue::Slot deadline = EventQueue::no_slot;
};

/// Every open call, each also in the list of its target. All operations take constant time.
class CallTable {
 public:
  /// `target` for a call to an address that names no actor.
  static constexpr std::uint32_t no_target = ~std::uint32_t{0};

  /// Returns the call's id: never 0, never that of another call.
  std::uint64_t open(const Call& call);
  /// Null when the call is over. Valid until the next `open`.
  Call* find(std::uint64_t id);
  /// Precondition: the call is open.
  void close(std::uint64_t id);

  /// Calls `use(id, call)` for every open call to `target`, newest first. `use` neither opens nor
  /// closes calls.
  template <class Use>
  void for_each(std::uint32_t target, Use&& use) {
    if (target >= heads_.size()) return;
    for (std::uint32_t slot = heads_[target]; slot != none; slot = slots_[slot].next)
      use(id_of(slot), slots_[slot].call);
  }

  std::size_t size() const { return slots_.size() - free_.size(); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Slot {
    Call call;
    std::uint32_t generation = 0;
    std::uint32_t previous = none;
    std::uint32_t next = none;
    bool open = false;
  };

  std::uint64_t id_of(std::uint32_t slot) const {
    return (static_cast<std::uint64_t>(slots_[slot].generation) << 32) | slot;
  }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> heads_;  ///< By target.
};

}  // namespace slime::runtime

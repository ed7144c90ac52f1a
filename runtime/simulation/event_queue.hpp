#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

struct Channel;

/// Something that will happen in a simulation.
struct Event {
  enum class Kind : std::uint8_t {
    start,      ///< `to` takes its first turn.
    tell,       ///< `message` from `from` reaches `to`.
    ask,        ///< As tell; `id` is the call.
    answer,     ///< The end of call `id`, made by `to`: an answer, or a down.
    timer,      ///< Timer `id` of `to`.
    deadline,   ///< Call `id`, made by `to`, has waited long enough.
    node_lost,  ///< Node `to` has been silent since its fault number `id`.
    pair_lost,  ///< Nodes `from` and `to` have been apart since their partition number `id`.
  };

  Kind kind = Kind::start;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t id = 0;
  AnyMessage message = {};
  Channel* channel = nullptr;  ///< The link it crosses; null within a node.
};

/// Events by time; equal times by tie-break, then by order of insertion.
class EventQueue {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot no_slot = ~Slot{0};

  /// Where an event stands in the order. Kept by whoever puts an event aside.
  struct Entry {
    Instant time;
    std::uint32_t tie;
    Slot slot;
    std::uint64_t sequence;
  };

  /// Returns the slot to cancel it by; it is reused once the event was taken.
  Slot push(Instant time, std::uint32_t tie, Event event);
  /// The next entry, or null. Valid until the queue changes.
  const Entry* top();
  /// Removes the next entry but keeps its event. Precondition: there is one.
  Entry pop();
  /// Puts a popped entry back in its old place, which may be in the past, unless it was cancelled
  /// meanwhile.
  void put_back(const Entry& entry);

  const Event& at(Slot slot) const { return events_[slot].event; }
  /// Takes the event of a popped entry out of the queue.
  Event take(Slot slot);
  /// Precondition: the slot's event was not taken.
  void cancel(Slot slot);

  /// Events waiting; those put aside do not count.
  std::size_t size() const { return heap_.size() - cancelled_; }

 private:
  struct Stored {
    Event event;
    bool aside = false;  ///< Popped and neither taken nor put back.
    bool cancelled = false;
  };

  void insert(const Entry& entry);
  void compact();

  std::vector<Entry> heap_;
  std::vector<Stored> events_;
  std::vector<Slot> free_;
  std::uint64_t sequence_ = 0;
  std::size_t cancelled_ = 0;
};

}  // namespace slime::runtime

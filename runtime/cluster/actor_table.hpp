#pragma once

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/cluster/mailbox_load.hpp"
#include "runtime/cluster/node_stats.hpp"
#include "runtime/cluster/spawner.hpp"

namespace slime::runtime {

/// The actors of this node by number, and why the dead ones ended. Numbers are never reused. Any
/// thread; nothing blocks.
class ActorTable {
 public:
  /// The first number given to an actor that asked for none; those below are for fixed ones.
  static constexpr std::uint64_t first_free = 16;

  struct Entry {
    caf::strong_actor_ptr actor;
    const MailboxLoad* load = nullptr;  ///< Lives as long as `actor`; null for a guest.
  };

  /// @param graves_max  How many dead actors are remembered.
  ActorTable(NodeId node, std::uint64_t incarnation, std::size_t graves_max)
      : node_(node), incarnation_(incarnation), graves_max_(graves_max) {}

  /// Takes `fixed`, or the next number when it is 0. Errors: already_exists, invalid_argument
  /// (`fixed` is not below `first_free`).
  Result<ActorAddress> reserve(std::uint64_t fixed, std::string_view type);
  /// Makes the actor of a reserved number reachable.
  void publish(std::uint64_t number, Entry entry);
  /// The actor ended at `when_us`; no reason: normally.
  void bury(std::uint64_t number, const std::optional<Error>& reason, std::int64_t when_us);

  /// No actor when it is dead, or never lived.
  Entry find(std::uint64_t number) const;
  /// Why `find` finds nothing, for an ask: unavailable, with who, why and when.
  Error why_dead(std::uint64_t number) const;
  /// Why it ended, for a watcher: the original code, with who, why and when in front; none when it
  /// ended normally.
  std::optional<Error> last_words(std::uint64_t number) const;

  /// Gives a number to a CAF actor that is not ours, such as a thread's blocking call, so that
  /// other nodes can answer it. It is forgotten when it ends.
  ActorAddress admit_guest(const caf::strong_actor_ptr& guest);

  /// Living actors, then the latest dead ones, by number.
  std::vector<ActorRecord> list() const;
  /// Our own actors, those that are being constructed included.
  std::vector<ActorAddress> living() const;
  /// Adds how many can be reached and what waits in their mailboxes.
  void measure(NodeStats& stats) const;

  ActorAddress address(std::uint64_t number) const {
    return ActorAddress{node_, incarnation_, number};
  }

 private:
  struct Living {
    std::string type;
    Entry entry;
  };
  struct Grave {
    std::string type;
    std::optional<Error> reason;
    std::int64_t when_us;
  };

  std::string describe(std::uint64_t number, const Grave& grave) const;

  const NodeId node_;
  const std::uint64_t incarnation_;
  const std::size_t graves_max_;
  mutable std::shared_mutex mutex_;
  std::uint64_t next_ = first_free;
  std::unordered_map<std::uint64_t, Living> living_;
  std::unordered_map<std::uint64_t, Grave> graves_;
  std::deque<std::uint64_t> burials_;                        // Oldest first.
  std::unordered_map<std::uint64_t, std::uint64_t> guests_;  // CAF id to number.
};

}  // namespace slime::runtime

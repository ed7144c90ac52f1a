#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "actors/training/protocols.hpp"
#include "runtime/actor/actor.hpp"
#include "runtime/base/clock.hpp"

namespace slime::actors {

/// What a shard has sent its standby, or has yet to, and who waits until the standby has it. Each
/// thing waits for those before it, but stages of a committed mode do not wait for each other:
/// their order does not matter. Owned by the shard's actor; replies that are dropped with it fail.
struct StandbyLink {
  using Forward = std::variant<runtime::Message<schema::Mirror>, runtime::Message<schema::Push>,
                               runtime::Message<schema::Commit>>;
  struct Item {
    Forward message;
    std::size_t bytes = 0;
    bool ordered = true;
    bool awaited = false;  ///< Nobody is answered before the standby has it.
    Instant sent{};
    std::vector<runtime::Reply<schema::Pushed>> pushed;
    std::vector<runtime::Reply<schema::Committed>> committed;
  };

  ParameterShard standby;
  Coordinator coordinator;                                       ///< That asked for it.
  std::optional<runtime::Reply<schema::Replicated>> replicated;  ///< Waits until it has all.

  bool begun = false;     ///< Whatever the shard takes is forwarded from now on.
  bool mirrored = false;  ///< It has what the shard had when that began.
  bool lost = false;      ///< Nothing is sent any more.

  std::map<std::uint64_t, Item> items;  ///< By number; the standby has not answered them.
  std::uint64_t newest = 0;             ///< Number of the last item.
  std::uint64_t sent = 0;               ///< Of the last one that was sent.
  std::uint64_t mirror_end = 0;         ///< Of the mirror's last piece.
  std::size_t mirror_bytes = 0;
  std::size_t pushed_bytes = 0;  ///< In pushes among the items.
  std::size_t unawaited = 0;     ///< Pushes and commits among the items that were answered already.
  std::size_t under_way = 0;     ///< Items that were sent.
  std::size_t ordered_under_way = 0;
  Instant heard{};                       ///< When it last answered.
  std::optional<std::uint64_t> watcher;  ///< Timer that looks whether it still answers.

  /// The standby has all that was acknowledged, and what is not acknowledged waits for it.
  bool ready() const { return mirrored && unawaited == 0; }
  /// Whether the item after those that were sent may follow them now.
  bool may_send() const {
    if (lost || sent == newest) return false;
    return under_way == 0 || (ordered_under_way == 0 && !items.at(sent + 1).ordered);
  }
};

}  // namespace slime::actors

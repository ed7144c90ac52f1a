#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "runtime/base/clock.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/cluster/deadlines.hpp"

namespace slime::runtime {

/// The asks of one actor that may be answered yet. One whose deadline has passed is kept for an
/// answer that comes after all, but only so many are: who lives and never answers must not make
/// this grow with every try. Not thread-safe.
class PendingAsks {
 public:
  /// How many are kept beyond their deadline; then the oldest is forgotten.
  static constexpr std::size_t late_max = 1024;

  struct Ask {
    std::uint64_t ask = 0;  ///< What the actor knows it by.
    ActorAddress to;
    Duration deadline{};
    std::optional<Deadlines::Handle> due;  ///< None once it has passed.
    bool late = false;                     ///< Its asker was told that there is no answer in time.
  };

  void add(std::uint64_t id, Ask ask) { asks_.emplace(id, ask); }

  /// Its entry among the deadlines is gone. Precondition: it was added and not taken.
  void set_due_passed(std::uint64_t id) { asks_.at(id).due.reset(); }

  /// Takes out the ask that is answered; none when it is not known any more.
  std::optional<Ask> take(std::uint64_t id) {
    auto found = asks_.extract(id);
    if (!found) return std::nullopt;
    return found.mapped();
  }

  /// Its asker has been told that there was no answer in time; it is none's when it was taken.
  std::optional<Ask> keep_late(std::uint64_t id) {
    const auto found = asks_.find(id);
    if (found == asks_.end()) return std::nullopt;
    const Ask kept = found->second;
    found->second.late = true;
    late_.push_back(id);
    if (late_.size() > late_max) {
      asks_.erase(late_.front());
      late_.pop_front();
    }
    return kept;
  }

  /// Forgets all. Returns how many of them were not late.
  std::size_t clear() {
    const auto waiting =
        std::ranges::count_if(asks_, [](const auto& entry) { return !entry.second.late; });
    asks_.clear();
    late_.clear();
    return static_cast<std::size_t>(waiting);
  }

  std::size_t size() const { return asks_.size(); }

 private:
  std::unordered_map<std::uint64_t, Ask> asks_;
  std::deque<std::uint64_t> late_;  ///< Oldest first; some may have been answered since.
};

}  // namespace slime::runtime

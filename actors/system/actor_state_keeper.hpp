#pragma once

#include <span>
#include <string_view>

#include "runtime/base/error.hpp"
#include "storage/actor_states.hpp"

namespace slime::actors {

/// Where a head keeps the states of durable actors. Any thread; calls may wait for a disk. After an
/// error of `put` nothing may be said that rests on what was to be kept.
class ActorStateKeeper {
 public:
  virtual ~ActorStateKeeper() = default;

  /// All of it or nothing; durable when it returns, as far as the keeper is.
  /// Errors: invalid_argument (a name or an id is not one), io_error.
  virtual Status put(std::span<const storage::StateChange> changes) = 0;
  /// Errors: not_found, corruption, io_error.
  virtual Result<storage::StoredState> get(std::string_view name) const = 0;
};

}  // namespace slime::actors

#pragma once

#include <map>
#include <string>

#include "actors/system/actor_state_keeper.hpp"

namespace slime::actors {

/// States of durable actors for a head that keeps nothing on disk: they outlive their actors and
/// those actors' nodes, and end with the head. Confined to one thread at a time.
class MemoryStates final : public ActorStateKeeper {
 public:
  Status put(std::span<const storage::StateChange> changes) override;
  Result<storage::StoredState> get(std::string_view name) const override;

 private:
  struct Entry {
    runtime::Words state;
    std::map<std::string, runtime::Words> replies;  // By call.
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace slime::actors

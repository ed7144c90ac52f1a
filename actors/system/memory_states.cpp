#include "actors/system/memory_states.hpp"

namespace slime::actors {

Status MemoryStates::put(std::span<const storage::StateChange> changes) {
  for (const storage::StateChange& change : changes) {
    Entry& entry = entries_[change.name];
    for (const std::string& call : change.forgotten) entry.replies.erase(call);
    for (const auto& [call, reply] : change.replies) entry.replies.insert_or_assign(call, reply);
    entry.state = change.state;
  }
  return ok();
}

Result<storage::StoredState> MemoryStates::get(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    return Error{Errc::not_found,
                 "reading the state of actor \"" + std::string(name) + "\": there is none"};
  storage::StoredState stored{found->second.state, {}};
  for (const auto& [call, reply] : found->second.replies) stored.replies.push_back({call, reply});
  return stored;
}

}  // namespace slime::actors

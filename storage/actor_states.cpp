#include "storage/actor_states.hpp"

#include <optional>
#include <utility>

#include "storage/checksum.hpp"

namespace slime::storage {

namespace {

// NAME 0 is the key of the state, NAME 0 CALL that of a reply; no call has an empty id.
std::string state_key(std::string_view name) {
  return std::string(name) + '\0';
}

Status check_name(std::string_view name) {
  if (name.empty() || name.find('\0') != std::string_view::npos)
    return Error{Errc::invalid_argument,
                 "storing an actor's state: \"" + std::string(name) + "\" cannot name an actor"};
  return ok();
}

}  // namespace

Status ActorStates::put(std::span<const StateChange> changes) {
  Batch batch;
  for (const StateChange& change : changes) {
    if (auto status = check_name(change.name); !status) return status;
    const std::string key = state_key(change.name);
    for (const auto& call : change.forgotten) batch.remove(Table::states, key + call);
    for (const auto& [call, reply] : change.replies) {
      if (call.empty())
        return Error{Errc::invalid_argument,
                     "storing the state of actor \"" + change.name + "\": a call has no id"};
      batch.put(Table::states, key + call, seal(reply));
    }
    batch.put(Table::states, key, seal(change.state));
  }
  return database_->write(batch);
}

Result<StoredState> ActorStates::get(std::string_view name) const {
  if (auto status = check_name(name); !status) return status.error();
  const std::string prefix = state_key(name);
  const std::string attempted = "reading the state of actor \"" + std::string(name) +
                                "\" in store " + database_->folder().string();
  std::optional<runtime::Words> state;
  std::vector<StoredReply> replies;
  const auto status = database_->visit(
      Table::states, prefix, [&](std::string_view key, std::string_view value) -> Status {
        auto words = unseal(std::as_bytes(std::span(value)));
        if (!words) return Error{Errc::corruption, attempted + ": " + words.error().context};
        if (key.size() == prefix.size())
          state = std::move(*words);
        else
          replies.push_back({std::string(key.substr(prefix.size())), std::move(*words)});
        return ok();
      });
  if (!status) return status.error();
  if (!state) return Error{Errc::not_found, attempted + ": there is none"};
  return StoredState{std::move(*state), std::move(replies)};
}

Status ActorStates::remove(std::string_view name) {
  if (auto status = check_name(name); !status) return status;
  Batch batch;
  const auto status = database_->visit(Table::states, state_key(name),
                                       [&batch](std::string_view key, std::string_view) -> Status {
                                         batch.remove(Table::states, std::string(key));
                                         return ok();
                                       });
  if (!status) return status;
  return database_->write(batch);
}

}  // namespace slime::storage

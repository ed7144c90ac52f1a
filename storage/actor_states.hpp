#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/wire/words.hpp"
#include "storage/database.hpp"

namespace slime::storage {

/// An answer that an actor gave, kept so that the same call is not carried out twice.
struct StoredReply {
  std::string call;  ///< Id of the call, as the runtime writes it; any bytes.
  runtime::Words reply;
};

struct StoredState {
  runtime::Words state;
  std::vector<StoredReply> replies;  ///< Ascending by call.
};

/// A new state of one actor.
struct StateChange {
  std::string name;                  ///< Not empty, without a zero byte.
  runtime::Words state;              ///< Replaces what there was.
  std::vector<StoredReply> replies;  ///< Added to those there are; none has an empty id.
  std::vector<std::string> forgotten =
      {};  ///< Calls whose replies are dropped: nobody repeats them.
};

/// States of custom actors, each together with the replies it gave: state and replies change in
/// one step, so that a call takes effect once, through any crash.
///
/// A view of a database, valid as long as that. Confined to its thread; every call may wait for
/// the disk.
class ActorStates {
 public:
  explicit ActorStates(Database& database) : database_(&database) {}

  /// Makes all changes, in their order, or none. Durable when it returns; one wait for the disk.
  /// Errors: invalid_argument (a name or an id is not one), io_error.
  Status put(std::span<const StateChange> changes);
  /// Errors: not_found, corruption, io_error.
  Result<StoredState> get(std::string_view name) const;
  /// Forgets an actor, known or not. Errors: invalid_argument, corruption, io_error.
  Status remove(std::string_view name);

 private:
  Database* database_;
};

}  // namespace slime::storage

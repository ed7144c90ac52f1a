#pragma once

#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_id.hpp"
#include "storage/opened_stores.hpp"

namespace slime::storage {

/// A checkpoint that exists, whether or not it can be read.
struct CommittedCheckpoint {
  CheckpointId id;
  std::string head;  ///< Node whose store has its manifest.
};

struct CommittedCheckpoints {
  std::vector<CommittedCheckpoint> all;  ///< Oldest first.
  std::vector<std::string> stores;       ///< Names of all stores there are, ascending.
  /// Of stores that are beyond reading; what they hold is not in `all`.
  std::vector<Error> unreadable;
};

/// What the stores of a directory hold. Changes nothing; the stores may have writers. Waits for
/// the disk. Errors: not_found (no folder, or no store in it), io_error.
Result<CommittedCheckpoints> committed_checkpoints(OpenedStores& stores);

}  // namespace slime::storage

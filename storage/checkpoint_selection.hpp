#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "schemas/checkpointing.capnp.h"
#include "storage/checkpoint_id.hpp"
#include "storage/committed_checkpoints.hpp"
#include "storage/opened_stores.hpp"

namespace slime::storage {

/// Which of the checkpoints in a directory is meant.
struct CheckpointSelector {
  enum class Kind : std::uint8_t {
    newest,     ///< Of all, whole or not.
    best,       ///< Of the highest accuracy that was measured, the newest of equals; one whose
                ///< manifest is damaged is passed over.
    iteration,  ///< With this iteration; of several, that of the latest term.
    exact,      ///< With this iteration and term.
  };
  Kind kind = Kind::newest;
  CheckpointId id{};  ///< As far as the kind says.
};

/// What a run was told to go on from.
CheckpointSelector selector_of(schema::CheckpointChoice::Reader choice);
/// As it is typed: "newest", "best", "150"; "iteration 150 (term 2)" for an exact one.
std::string to_string(const CheckpointSelector& selector);

/// The one that is meant, by what its manifest says; reads no parameters and changes nothing. Waits
/// for the disk. Errors: not_found (the context lists which there are), corruption (nothing can be
/// read), io_error.
Result<CommittedCheckpoint> select_checkpoint(OpenedStores& stores,
                                              const CheckpointSelector& selector);

/// "there are those of iterations 10, 20 and 3 older ones"; for people.
std::string those_there_are(const std::vector<CommittedCheckpoint>& all);

}  // namespace slime::storage

#pragma once

#include <filesystem>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_store.hpp"
#include "storage/committed_checkpoints.hpp"
#include "storage/retention.hpp"

namespace slime::storage {

/// Has the rules decide over the checkpoints of `run` in a head's store and drops what none of them
/// wants, as far as it is older than the newest; what is damaged counts as nobody's. Pins and other
/// runs' checkpoints are left alone. Returns which are kept, for the other nodes to retain. Waits
/// for the disk. Errors: overloaded (see PinLock), corruption, io_error.
Result<std::vector<CheckpointId>> prune_run(CheckpointStore& head, const RetentionRules& rules,
                                            std::uint64_t run);

/// What becomes of the checkpoints of a directory, oldest first.
struct PruningPlan {
  struct Entry {
    CommittedCheckpoint checkpoint;
    RetentionCandidate candidate;
    KeptBecause because;  ///< Nothing: it goes.
  };
  std::vector<Entry> entries;
};

/// Has the rules decide over all checkpoints in the stores of a directory, whichever run they are
/// of, as if they were of one. Reads the newest whole one to the last byte, and all manifests; a
/// newer one that is damaged is no newest. Changes nothing; the stores may have writers. Waits for
/// the disk. Errors: not_found (there is none), corruption (none is whole, or a store is beyond
/// reading), io_error.
Result<PruningPlan> plan_pruning(const std::filesystem::path& directory,
                                 const RetentionRules& rules);

/// Decides as `plan_pruning` does and drops what no rule wants, and what was never committed.
/// Whenever it is killed, what was to be kept is whole, and the same call removes the rest. Waits
/// for the disk. Errors: those of `plan_pruning`; already_exists (a process writes to one of the
/// stores; nothing was removed), overloaded (see PinLock).
Result<PruningPlan> prune_stores(const std::filesystem::path& directory,
                                 const RetentionRules& rules);

}  // namespace slime::storage

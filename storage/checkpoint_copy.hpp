#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_store.hpp"
#include "storage/manifest.hpp"
#include "storage/opened_stores.hpp"

namespace slime::storage {

/// What a copy took.
struct CopiedCheckpoint {
  bool was_there = false;  ///< It was copied before, and is whole.
  bool stopped = false;    ///< `stop` said so; what was copied so far is used by the next try.
  std::uint64_t parts = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t shared_bytes = 0;  ///< Those that the destination had already.
};

/// Copies a checkpoint from the stores of its nodes into one store, which any number of shards can
/// load. All of it is verified where it is read and once more where it was written, and it appears
/// in the destination only then. A copy that was killed goes on when it is called again; one that
/// is there and whole is done, and one that is damaged is made anew. The source may have writers.
/// Memory is bounded; waits for the disk.
/// @param destination  Open for writing, in another directory than `source`.
/// @param stop  Asked every few megabytes; true ends the copy.
/// Errors: already_exists (another checkpoint of that name is there), corruption (of either),
/// io_error.
Result<CopiedCheckpoint> copy_checkpoint(const std::shared_ptr<OpenedStores>& source,
                                         const Manifest& manifest, CheckpointStore& destination,
                                         const std::function<bool()>& stop);

}  // namespace slime::storage

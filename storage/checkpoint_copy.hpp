#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_reader.hpp"
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

/// Which run a copy counts for, where rules decide what a run keeps.
enum class CopyOwner : std::uint8_t {
  its_run,  ///< That of the original: the run itself makes the copies and keeps as many as it
            ///< wants.
  nobody,   ///< Somebody wants this one kept: a job that runs beside it must not take it for its
            ///< own.
};

/// A checkpoint on its way from the stores of its nodes into one store, which any number of shards
/// can load. All of it is verified where it is read and once more where it was written, and it
/// appears in the destination only then. A copy that was killed goes on when it is begun again; one
/// that is there and whole is done, and one that is damaged is made anew. The source may have
/// writers, which may remove the checkpoint once the copy was begun.
///
/// Confined to one thread at a time. Memory is bounded; every call waits for the disk.
class CheckpointCopying {
 public:
  /// @param destination  Open for writing, in another directory than `source`; outlives this.
  /// Errors: already_exists (another checkpoint of that name is there), corruption (of either),
  /// io_error.
  static Result<CheckpointCopying> begin(const std::shared_ptr<OpenedStores>& source,
                                         const Manifest& manifest, CheckpointStore& destination,
                                         CopyOwner owner);

  /// Copies a few megabytes more, at last the manifest. Returns whether that was all. Errors: those
  /// of `begin`; stale (the destination has one of a later term).
  Result<bool> step();
  const CopiedCheckpoint& copied() const { return copied_; }

 private:
  CheckpointCopying(CheckpointReader reader, Manifest manifest, CheckpointStore& destination)
      : reader_(std::move(reader)),
        manifest_(std::move(manifest)),
        destination_(&destination),
        planes_(1 + reader_.slots()) {}

  Status copy_part(std::uint64_t first, std::uint64_t count);

  CheckpointReader reader_;
  Manifest manifest_;
  CheckpointStore* destination_;
  std::vector<std::vector<float>> planes_;
  std::vector<PartInfo> parts_;
  std::uint64_t done_ = 0;  ///< Parameters.
  CopiedCheckpoint copied_;
};

/// Copies a checkpoint that somebody wants kept, in whatever order such come. Waits for the disk.
/// @param stop  Asked every few megabytes; true ends the copy.
/// Errors: those of CheckpointCopying.
Result<CopiedCheckpoint> copy_checkpoint(const std::shared_ptr<OpenedStores>& source,
                                         const Manifest& manifest, CheckpointStore& destination,
                                         const std::function<bool()>& stop);

}  // namespace slime::storage

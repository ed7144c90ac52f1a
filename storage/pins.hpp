#pragma once

#include <filesystem>
#include <set>
#include <utility>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_id.hpp"

namespace slime::storage {

/// The right to pin, unpin and remove checkpoints of a directory, held by one process at a time for
/// as short as can be and given up when the object or the process goes. So nothing is pinned that
/// somebody has just decided to remove.
///
/// Any thread. Does not wait.
class PinLock {
 public:
  /// Makes the folder of pins if there is none. Errors: overloaded (held; it may work a moment
  /// later), not_found (no such directory), io_error.
  static Result<PinLock> acquire(const std::filesystem::path& directory);

  PinLock(PinLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  PinLock& operator=(PinLock&&) = delete;
  ~PinLock();

 private:
  explicit PinLock(int file) : file_(file) {}

  int file_;
};

/// Which checkpoints in the stores of `directory` are pinned: no rule removes them. A pin is an
/// empty file beside the stores, so that it can be set while a store has a writer. Pins of
/// checkpoints that are gone count as well. Waits for the disk. Errors: io_error.
Result<std::set<CheckpointId>> pinned_checkpoints(const std::filesystem::path& directory);

/// Pins a checkpoint, durably. Returns whether it was not pinned before. Waits for the disk.
/// Errors: not_found (there is no such checkpoint), those of PinLock::acquire, io_error.
Result<bool> pin_checkpoint(const std::filesystem::path& directory, CheckpointId id);

/// Gives it up, durably; the checkpoint may be gone. Returns whether it was pinned. Waits for the
/// disk. Errors: those of PinLock::acquire, io_error.
Result<bool> unpin_checkpoint(const std::filesystem::path& directory, CheckpointId id);

}  // namespace slime::storage

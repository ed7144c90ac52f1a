#pragma once

#include <filesystem>
#include <utility>

#include "runtime/base/error.hpp"

namespace slime::storage {

/// The right to write to a store's folder, held by one process at a time and given up when the
/// object or the process goes. A file in the folder tells who holds it. What the folder's files
/// were when it was last closed is forgotten.
///
/// Any thread. Does not wait for the holder.
class StoreLock {
 public:
  /// Precondition: `folder` exists. Errors: already_exists (held; the context names the folder and
  /// the holder's pid), io_error.
  static Result<StoreLock> acquire(const std::filesystem::path& folder);

  /// Whether `acquire` would find it free. Changes nothing. Errors: as of `acquire`.
  static Status check_free(const std::filesystem::path& folder);

  StoreLock(StoreLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  StoreLock& operator=(StoreLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~StoreLock();

 private:
  explicit StoreLock(int file) : file_(file) {}
  static Result<StoreLock> lock(const std::filesystem::path& folder);

  int file_;
};

}  // namespace slime::storage

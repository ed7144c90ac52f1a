#pragma once

#include <filesystem>
#include <string>
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

  /// Whether this is still the holder: a file system that several machines see may have given the
  /// lock to another one while this process was stopped or cut off. To be asked before each change;
  /// where locks hold it is always so. Errors: stale (the context names who took it), io_error.
  Status check_held() const;

  StoreLock(StoreLock&& other) noexcept
      : file_(std::exchange(other.file_, -1)),
        path_(std::move(other.path_)),
        holder_(std::move(other.holder_)) {}
  StoreLock& operator=(StoreLock&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(path_, other.path_);
    std::swap(holder_, other.holder_);
    return *this;
  }
  ~StoreLock();

 private:
  StoreLock(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}
  static Result<StoreLock> lock(const std::filesystem::path& folder);

  int file_;
  std::filesystem::path path_;  ///< Of the file that is locked.
  std::string holder_;          ///< What it says while this holds it; empty where nobody wrote it.
};

}  // namespace slime::storage

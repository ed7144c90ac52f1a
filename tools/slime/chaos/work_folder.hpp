#pragma once

#include <filesystem>
#include <utility>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// A folder for what a command leaves on its way, removed with this object unless it is kept.
/// Blocks on the disk.
class WorkFolder {
 public:
  /// `path`, which is kept, or a new one for temporary files where it is empty.
  /// Errors: already_exists (there is something in it), io_error.
  static Result<WorkFolder> create(const std::filesystem::path& path);
  /// A new one in memory, where the machine has a place for that, and else for temporary files.
  /// Errors: io_error.
  static Result<WorkFolder> create_in_memory();

  WorkFolder(WorkFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), kept_(other.kept_) {}
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }
  void keep() { kept_ = true; }
  bool kept() const { return kept_; }

 private:
  static Result<WorkFolder> create_new(const std::filesystem::path& parent);
  WorkFolder(std::filesystem::path path, bool kept) : path_(std::move(path)), kept_(kept) {}

  std::filesystem::path path_;
  bool kept_;
};

}  // namespace slime::tools

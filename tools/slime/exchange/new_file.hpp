#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

#include "runtime/base/error.hpp"
#include "tools/slime/descriptor.hpp"

namespace slime::tools {

/// A file that appears under its name whole and durable, or not at all: it is written as a draft in
/// the same folder, which goes with the object unless it was committed.
///
/// Confined to one thread at a time; waits for the disk.
class NewFile {
 public:
  /// @param replace  Whether a file of that name may be replaced.
  /// Errors: already_exists, invalid_argument (the name is a folder's), not_found (the folder does
  /// not exist), io_error.
  static Result<NewFile> begin(const std::filesystem::path& target, bool replace);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) noexcept;
  ~NewFile();

  const std::filesystem::path& target() const { return target_; }
  /// What is being written, for those who write by path.
  const std::filesystem::path& draft() const { return draft_; }
  /// Appends to the draft. Errors: io_error.
  Status write(std::span<const std::byte> bytes);
  /// Moves the draft to its place. Errors: already_exists (a file took the name meanwhile),
  /// io_error.
  Status commit();

 private:
  NewFile(std::filesystem::path target, std::filesystem::path draft, Descriptor file, bool replace)
      : target_(std::move(target)),
        draft_(std::move(draft)),
        file_(std::move(file)),
        replace_(replace) {}

  std::filesystem::path target_;
  std::filesystem::path draft_;  ///< Empty: committed or moved from.
  Descriptor file_;
  bool replace_ = false;
};

}  // namespace slime::tools

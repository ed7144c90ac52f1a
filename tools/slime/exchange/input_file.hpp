#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "runtime/base/error.hpp"
#include "tools/slime/descriptor.hpp"

namespace slime::tools {

/// A regular file that is read at any place. What it names stays the same file, whatever happens to
/// its path. Any thread; waits for the disk.
class InputFile {
 public:
  /// Errors: not_found, io_error (no regular file, or it may not be read).
  static Result<InputFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  /// Bytes, when it was opened.
  std::uint64_t size() const { return size_; }
  /// A path by which others can open the very same file, as long as this object lives.
  std::filesystem::path alias() const;
  /// Fills `out` with the bytes from `offset` on. Errors: corruption (the file ends before),
  /// io_error.
  Status read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  InputFile(std::filesystem::path path, Descriptor file, std::uint64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_;
};

}  // namespace slime::tools

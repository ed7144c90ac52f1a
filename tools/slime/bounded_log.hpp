#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "tools/slime/descriptor.hpp"

namespace slime::tools {

/// A log file that keeps its newest bytes: when half of `bytes_max` is full the file becomes
/// FILE.1, replacing an older one, and a new one begins. Never fails its caller: what cannot be
/// written is counted and dropped. Confined to one thread; blocks on the disk.
class BoundedLog {
 public:
  /// Appends to `file` if it exists.
  BoundedLog(std::filesystem::path file, std::uint64_t bytes_max);

  void append(std::string_view text);
  std::uint64_t dropped_bytes() const { return dropped_bytes_; }

 private:
  void open();

  std::filesystem::path file_;
  std::uint64_t half_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t dropped_bytes_ = 0;
};

}  // namespace slime::tools

#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "runtime/base/error.hpp"

namespace slime::storage {

/// The earliest term that may still write to a store. Whoever takes a job over raises it before it
/// reads what is there, so that nothing of the one before can change that afterwards: not what was
/// on its way, and not what a process says that was stopped and runs again. A file in the store's
/// folder keeps it for the next writers.
///
/// Confined to one thread at a time. Waits for the disk.
class WriteFence {
 public:
  /// As the file says; term 0, which refuses nothing, where it is absent or damaged.
  static WriteFence read(std::filesystem::path folder);

  std::uint64_t term() const { return term_; }
  /// Refuses earlier terms than `term`, durably; a later fence stays. Only for the store's writer.
  /// Errors: io_error (it holds for this writer, and is not kept for the next one).
  Status raise(std::uint64_t term);

 private:
  WriteFence(std::filesystem::path folder, std::uint64_t term)
      : folder_(std::move(folder)), term_(term), kept_(term) {}

  std::filesystem::path folder_;
  std::uint64_t term_;
  std::uint64_t kept_;  ///< By the file.
};

}  // namespace slime::storage

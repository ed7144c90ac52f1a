#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "runtime/base/error.hpp"
#include "schemas/record.capnp.h"

namespace slime::tools {

/// Reads a record while it is written. Confined to one thread; blocks on the disk.
class RecordTail {
 public:
  explicit RecordTail(std::filesystem::path file) : file_(std::move(file)) {}

  /// Hands `take` each line that has become whole since the last call; valid during the call only.
  /// A file that is not there yet has no lines. Returns how many there were.
  /// Errors: corruption (with the number of the line), io_error, those of `take`.
  Result<std::size_t> read(const std::function<Status(schema::RecordLine::Reader)>& take);

 private:
  std::filesystem::path file_;
  std::uint64_t at_ = 0;     ///< What was read of it.
  std::uint64_t lines_ = 0;  ///< Taken so far.
  std::string rest_;         ///< Of a line whose end is not written yet.
};

}  // namespace slime::tools

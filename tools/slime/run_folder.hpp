#pragma once

#include <filesystem>
#include <utility>

#include "runtime/base/error.hpp"
#include "tools/slime/console.hpp"

namespace slime::tools {

/// A folder for the sockets and logs of one run, which only its user may enter; removed with this
/// object. Its path is short enough for socket addresses. Blocks on the disk.
class RunFolder {
 public:
  /// Under $XDG_RUNTIME_DIR, or /tmp where that is absent or too long. Errors: io_error.
  static Result<RunFolder> create(const Environment& environment);

  RunFolder(RunFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace slime::tools

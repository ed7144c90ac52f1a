#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include "runtime/base/error.hpp"
#include "tools/slime/console.hpp"
#include "tools/slime/descriptor.hpp"

namespace slime::tools {

/// A folder for the sockets and logs of one run, which only its user may enter; removed with this
/// object, or by the next run when the process is killed first: the folder is locked for as long as
/// its owner lives. Its path is short enough for socket addresses. Blocks on the disk.
class RunFolder {
 public:
  static constexpr std::string_view name_prefix = "slime-run-";
  /// Of what such a folder can lie in: a socket's address holds 107 bytes, and what is left takes
  /// the folder's and the socket's own name.
  static constexpr std::size_t parent_bytes_max = 60;

  /// Under $XDG_RUNTIME_DIR, or /tmp where that is absent or too long. Sweeps out what dead owners
  /// left there. Errors: io_error.
  static Result<RunFolder> create(const Environment& environment);

  RunFolder(RunFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  RunFolder(std::filesystem::path path, Descriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  Descriptor lock_;  ///< The folder itself.
};

}  // namespace slime::tools

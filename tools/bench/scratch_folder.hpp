#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <latch>
#include <thread>

#include "runtime/base/error.hpp"

namespace slime::tools {
class StopSignals;
}

namespace slime::bench {

/// Whether the disk of `folder` has room for `bytes`. Errors: overloaded (it has not; the context
/// says where, how much is needed and how much there is), io_error.
Status check_room(const std::filesystem::path& folder, std::uint64_t bytes);

/// A folder for files that are large and worth nothing afterwards. It goes with the object, and
/// when SIGINT, SIGTERM or SIGUSR1 ends the process, which is this object's doing. One at a time in
/// a process.
class ScratchFolder {
 public:
  /// Makes it, in the folder for temporary files. Throws std::system_error.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  void wait_for_signals();
  /// Others may still be writing there: under another name they do not find it any more.
  void remove_all() const;

  std::filesystem::path path_;
  std::latch watching_{1};
  std::atomic<bool> over_ = false;
  std::latch woken_{1};
  tools::StopSignals* signals_ = nullptr;
  std::jthread watcher_;  // Uses all of the above.
};

}  // namespace slime::bench

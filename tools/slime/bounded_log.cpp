#include "tools/slime/bounded_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace slime::tools {

BoundedLog::BoundedLog(std::filesystem::path file, std::uint64_t bytes_max)
    : file_(std::move(file)), half_(std::max<std::uint64_t>(bytes_max / 2, 1)) {
  open();
}

void BoundedLog::open() {
  descriptor_ = Descriptor(::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  struct stat status {};
  size_ = descriptor_ && ::fstat(descriptor_.number(), &status) == 0
              ? static_cast<std::uint64_t>(status.st_size)
              : 0;
}

void BoundedLog::append(std::string_view text) {
  if (text.size() > half_) {
    dropped_bytes_ += text.size() - half_;
    text.remove_prefix(text.size() - half_);
  }
  if (size_ + text.size() > half_ || !descriptor_) {
    std::error_code ignored;
    if (size_ > 0) std::filesystem::rename(file_, file_.string() + ".1", ignored);
    open();
    // A folder that refuses renames must not make the file grow without end.
    if (size_ + text.size() > half_ && ::ftruncate(descriptor_.number(), 0) == 0) size_ = 0;
  }
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    size_ += static_cast<std::uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  dropped_bytes_ += text.size();
}

}  // namespace slime::tools

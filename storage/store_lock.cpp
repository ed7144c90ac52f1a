#include "storage/store_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/base/random.hpp"
#include "storage/checkpoint_id.hpp"
#include "storage/closing_record.hpp"

namespace slime::storage {

namespace {

std::string read_all(int file) {
  std::array<char, 192> text;
  const ::ssize_t length = ::pread(file, text.data(), text.size(), 0);
  return {text.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

/// Its first line, for people; the second one tells two holders apart that have one pid.
std::string named(std::string holder) {
  holder.resize(std::min(holder.find('\n'), holder.size()));
  return holder.empty() ? "another process" : holder;
}

std::string describe_this_process() {
  std::array<char, 65> host{};
  ::gethostname(host.data(), host.size() - 1);
  return "pid " + std::to_string(::getpid()) + " on " + host.data();
}

std::filesystem::path owner_of(const std::filesystem::path& folder) {
  return folder / "OWNER";
}

Error failed(const char* what, const std::filesystem::path& path) {
  return {Errc::io_error, std::string(what) + " " + path.string() + ": " + std::strerror(errno) +
                              "; the folder must be writable"};
}

}  // namespace

Result<StoreLock> StoreLock::lock(const std::filesystem::path& folder) {
  const std::filesystem::path path = owner_of(folder);
  StoreLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644), path);
  if (lock.file_ < 0) return failed("opening", path);
  if (::flock(lock.file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failed("locking", path);
    return Error{Errc::already_exists, "opening store " + folder.string() +
                                           " for writing: " + named(read_all(lock.file_)) +
                                           " holds it; stop that process, or open the store for "
                                           "reading"};
  }
  return lock;
}

Result<StoreLock> StoreLock::acquire(const std::filesystem::path& folder) {
  auto held = lock(folder);
  if (!held) return held;
  if (Status forgotten = forget_closing(folder); !forgotten) return forgotten.error();
  held->holder_ = describe_this_process() + "\n" + hexadecimal(random_node_id().low) + "\n";
  const std::string& holder = held->holder_;
  if (::ftruncate(held->file_, 0) != 0 || ::pwrite(held->file_, holder.data(), holder.size(), 0) !=
                                              static_cast<::ssize_t>(holder.size()))
    return failed("writing", held->path_);
  return held;
}

Status StoreLock::check_held() const {
  // By its name, since whoever took the folder over may have made the file anew.
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno != ENOENT) return failed("opening", path_);
  const std::string holder = file < 0 ? "" : read_all(file);
  if (file >= 0) ::close(file);
  // Of a lock that is held this asks for nothing new.
  const bool locked = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  if (locked && holder == holder_) return ok();
  return Error{Errc::stale, "changing store " + path_.parent_path().string() + ": " +
                                named(holder) +
                                " has taken it over; nothing was changed, and this process can "
                                "write to it no more"};
}

Status StoreLock::check_free(const std::filesystem::path& folder) {
  const auto held = lock(folder);
  if (!held) return held.error();
  return ok();
}

StoreLock::~StoreLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace slime::storage

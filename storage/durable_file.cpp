#include "storage/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

bool sync_and_close(int file, bool so_far) {
  so_far = so_far && ::fsync(file) == 0;
  return ::close(file) == 0 && so_far;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ::ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool sync_folder_of(const fs::path& path) {
  const int folder = ::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder >= 0 && sync_and_close(folder, true);
}

bool write_draft(const fs::path& draft, std::string_view bytes) {
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  return file >= 0 && sync_and_close(file, write_all(file, bytes));
}

}  // namespace

bool write_durably(const fs::path& path, std::string_view bytes) {
  const fs::path draft = path.string() + ".new";
  if (write_draft(draft, bytes) && ::rename(draft.c_str(), path.c_str()) == 0)
    return sync_folder_of(path);
  // On a full disk half a draft would take what little room there is.
  const int why = errno;
  ::unlink(draft.c_str());
  errno = why;
  return false;
}

bool make_folder_durably(const fs::path& path) {
  if (::mkdir(path.c_str(), 0777) != 0) return errno == EEXIST;
  return sync_folder_of(path);
}

bool remove_durably(const fs::path& path) {
  if (::unlink(path.c_str()) != 0) return errno == ENOENT;
  return sync_folder_of(path);
}

}  // namespace slime::storage

#include "tools/slime/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace slime::tools {

namespace {

constexpr int attempts_max = 10;

std::string parent_of(const Environment& environment) {
  const auto runtime = environment.find("XDG_RUNTIME_DIR");
  const bool usable = runtime != environment.end() && runtime->second.starts_with('/') &&
                      runtime->second.size() <= RunFolder::parent_bytes_max &&
                      ::access(runtime->second.c_str(), W_OK | X_OK) == 0;
  return usable ? runtime->second : "/tmp";
}

/// An open folder of this user's, locked; nothing when somebody else has the lock, or it is gone.
/// The kernel lets go of the lock when its owner dies, whatever kills it.
Descriptor locked(const std::filesystem::path& folder) {
  Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat held {
  }, there{};
  if (open && ::fstat(open.number(), &held) == 0 && held.st_uid == ::geteuid() &&
      ::flock(open.number(), LOCK_EX | LOCK_NB) == 0 && ::lstat(folder.c_str(), &there) == 0 &&
      there.st_ino == held.st_ino)
    return open;
  return {};
}

void sweep(const std::filesystem::path& parent) {
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(parent, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (!entry->path().filename().string().starts_with(RunFolder::name_prefix)) continue;
    std::error_code ignored;
    if (const Descriptor dead = locked(entry->path()))
      std::filesystem::remove_all(entry->path(), ignored);
  }
}

}  // namespace

Result<RunFolder> RunFolder::create(const Environment& environment) {
  const std::string parent = parent_of(environment);
  sweep(parent);
  // Another run's sweep may take the folder in the moment before it is locked.
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    std::string path = fmt::format("{}/{}XXXXXX", parent, name_prefix);
    if (!::mkdtemp(path.data()))
      return Error{Errc::io_error, fmt::format("creating a folder for the run, {}: {}", path,
                                               std::strerror(errno))};
    if (Descriptor lock = locked(path)) return RunFolder(path, std::move(lock));
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  return Error{Errc::io_error,
               fmt::format("creating a folder for the run in {}: it cannot be locked", parent)};
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace slime::tools

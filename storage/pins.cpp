#include "storage/pins.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "storage/committed_checkpoints.hpp"
#include "storage/durable_file.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = "LOCK";

fs::path folder_of(const fs::path& directory) {
  return directory / "pins";
}

/// "TERM-ITERATION", in decimal digits, for people to read.
std::string name_of(CheckpointId id) {
  return std::to_string(id.term) + "-" + std::to_string(id.iteration);
}

/// Only what `name_of` writes: no other file is taken for a pin.
std::optional<CheckpointId> id_of_name(const std::string& name) {
  CheckpointId id;
  const char* const end = name.data() + name.size();
  const auto term = std::from_chars(name.data(), end, id.term);
  if (term.ec != std::errc() || term.ptr == end || *term.ptr != '-') return std::nullopt;
  const auto iteration = std::from_chars(term.ptr + 1, end, id.iteration);
  if (iteration.ec != std::errc() || name_of(id) != name) return std::nullopt;
  return id;
}

Error failed(const std::string& what, const fs::path& path) {
  return {Errc::io_error, what + " " + path.string() + ": " + std::strerror(errno) +
                              "; the folder must be writable and its disk not full"};
}

Status make_folder(const fs::path& directory) {
  const fs::path folder = folder_of(directory);
  if (make_folder_durably(folder)) return ok();
  if (errno == ENOENT)
    return Error{Errc::not_found, "pinning in " + directory.string() + ": there is no such folder"};
  return failed("making", folder);
}

Status check_committed(const fs::path& directory, CheckpointId id) {
  OpenedStores stores(directory);
  const auto found = committed_checkpoints(stores);
  if (!found) return found.error();
  if (std::ranges::count(found->all, id, &CommittedCheckpoint::id) > 0) return ok();
  return Error{Errc::not_found, "pinning " + to_string(id) + " in " + directory.string() +
                                    ": there is no such checkpoint any more"};
}

}  // namespace

Result<PinLock> PinLock::acquire(const fs::path& directory) {
  if (Status made = make_folder(directory); !made) return made.error();
  const fs::path path = folder_of(directory) / lock_name;
  PinLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.file_ < 0) return failed("opening", path);
  if (::flock(lock.file_, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return failed("locking", path);
  return Error{Errc::overloaded, "locking " + path.string() +
                                     ": another process pins or removes checkpoints there at this "
                                     "moment"};
}

PinLock::~PinLock() {
  if (file_ >= 0) ::close(file_);
}

Result<std::set<CheckpointId>> pinned_checkpoints(const fs::path& directory) {
  std::set<CheckpointId> pinned;
  std::error_code failure;
  for (fs::directory_iterator entry(folder_of(directory), failure), end; !failure && entry != end;
       entry.increment(failure))
    if (const auto id = id_of_name(entry->path().filename())) pinned.insert(*id);
  if (failure && failure != std::errc::no_such_file_or_directory)
    return Error{Errc::io_error, "reading which checkpoints are pinned in " +
                                     folder_of(directory).string() + ": " + failure.message()};
  return pinned;
}

Result<bool> pin_checkpoint(const fs::path& directory, CheckpointId id) {
  // First, so that a wrong directory gets no folder of pins.
  if (Status there = check_committed(directory, id); !there) return there.error();
  const auto lock = PinLock::acquire(directory);
  if (!lock) return lock.error();
  const fs::path marker = folder_of(directory) / name_of(id);
  std::error_code failure;
  if (fs::exists(marker, failure)) return false;
  // Again, for now nobody removes it.
  if (Status there = check_committed(directory, id); !there) return there.error();
  if (!write_durably(marker, "")) return failed("making", marker);
  return true;
}

Result<bool> unpin_checkpoint(const fs::path& directory, CheckpointId id) {
  const auto lock = PinLock::acquire(directory);
  if (!lock) return lock.error();
  const fs::path marker = folder_of(directory) / name_of(id);
  std::error_code failure;
  if (!fs::exists(marker, failure) && !failure) return false;
  if (!remove_durably(marker)) return failed("removing", marker);
  return true;
}

}  // namespace slime::storage

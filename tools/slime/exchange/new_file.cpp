#include "tools/slime/exchange/new_file.hpp"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

// Of one process and one folder; more are left only by processes of its number that were killed.
constexpr int drafts_max = 100;

Error failed(const fs::path& target, Errc code, const std::string& why) {
  return {code, "writing " + target.string() + ": " + why};
}

Error name_taken(const fs::path& target) {
  return failed(target, Errc::already_exists,
                "it exists already; --force replaces it, or name another file");
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

bool sync_folder(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened && ::fsync(opened.number()) == 0;
}

/// As rename, but fails with EEXIST where a file has that name.
int move_to_free_name(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  // Some network file systems cannot.
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (::link(from.c_str(), to.c_str()) != 0) return -1;
  return ::unlink(from.c_str());
}

}  // namespace

Result<NewFile> NewFile::begin(const fs::path& target, bool replace) {
  std::error_code ignored;
  const fs::file_status there = fs::symlink_status(target, ignored);
  if (target.filename().empty() || fs::is_directory(there))
    return failed(target, Errc::invalid_argument, "it is a folder; name a file in it");
  if (fs::exists(there) && !replace) return name_taken(target);
  const std::string stem = ".slime-draft-" + std::to_string(::getpid()) + "-";
  for (int attempt = 0; attempt < drafts_max; ++attempt) {
    const fs::path draft = folder_of(target) / (stem + std::to_string(attempt));
    Descriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file) return NewFile(target, draft, std::move(file), replace);
    if (errno == EEXIST) continue;
    const Errc code = errno == ENOENT ? Errc::not_found : Errc::io_error;
    return failed(
        target, code,
        "no file can be made in " + folder_of(target).string() + ": " + std::strerror(errno));
  }
  return failed(target, Errc::io_error, "remove the files .slime-draft-* beside it");
}

NewFile::NewFile(NewFile&& other) noexcept
    : target_(std::move(other.target_)),
      draft_(std::exchange(other.draft_, {})),
      file_(std::move(other.file_)),
      replace_(other.replace_) {}

NewFile& NewFile::operator=(NewFile&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(draft_, other.draft_);
  std::swap(file_, other.file_);
  std::swap(replace_, other.replace_);
  return *this;
}

NewFile::~NewFile() {
  if (!draft_.empty()) ::unlink(draft_.c_str());
}

Status NewFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file_.number(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return failed(target_, Errc::io_error, std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
  return ok();
}

Status NewFile::commit() {
  if (::fsync(file_.number()) != 0) return failed(target_, Errc::io_error, std::strerror(errno));
  const int moved =
      replace_ ? ::rename(draft_.c_str(), target_.c_str()) : move_to_free_name(draft_, target_);
  if (moved != 0 && errno == EEXIST) return name_taken(target_);
  if (moved != 0) return failed(target_, Errc::io_error, std::strerror(errno));
  draft_.clear();
  if (sync_folder(folder_of(target_))) return ok();
  return failed(target_, Errc::io_error,
                std::string("it is there, but a crash may still lose it: ") + std::strerror(errno));
}

}  // namespace slime::tools

#include "storage/store_format.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "storage/table_files.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view format_line = "slime store 1";

bool sync_and_close(int file, bool so_far) {
  so_far = so_far && ::fsync(file) == 0;
  return ::close(file) == 0 && so_far;
}

bool write_line(const fs::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const std::string line = std::string(format_line) + "\n";
  return sync_and_close(
      file, ::write(file, line.data(), line.size()) == static_cast<::ssize_t>(line.size()));
}

bool sync_folder(const fs::path& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder >= 0 && sync_and_close(folder, true);
}

}  // namespace

Status check_format(const fs::path& folder) {
  const std::string attempted = "opening store " + folder.string();
  std::string line;
  std::ifstream file(folder / "FORMAT");
  std::getline(file, line);
  if (line.empty() && !table_files(folder).empty())
    return Error{Errc::corruption,
                 attempted + ": file FORMAT is missing or empty" + damaged_remedy};
  if (line.empty())
    return Error{Errc::not_found, attempted +
                                      ": the folder holds no store; check "
                                      "checkpoint.directory and the node's name"};
  if (line != format_line)
    return Error{Errc::incompatible, attempted + ": its FORMAT is \"" + line +
                                         "\" and this program's \"" + std::string(format_line) +
                                         "\"; use the version that wrote it"};
  if (!fs::exists(folder / "CURRENT"))
    return Error{Errc::corruption, attempted + ": file CURRENT is missing" + damaged_remedy};
  return ok();
}

Status mark_format(const fs::path& folder) {
  const fs::path path = folder / "FORMAT", draft = folder / "FORMAT.new";
  if (fs::exists(path)) return ok();
  if (!write_line(draft) || ::rename(draft.c_str(), path.c_str()) != 0 || !sync_folder(folder))
    return Error{Errc::io_error, "writing " + path.string() + ": " + std::strerror(errno) +
                                     "; the folder must be writable and its disk not full"};
  return ok();
}

}  // namespace slime::storage

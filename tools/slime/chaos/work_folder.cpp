#include "tools/slime/chaos/work_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace slime::tools {

namespace fs = std::filesystem;

Result<WorkFolder> WorkFolder::create_new(const fs::path& parent) {
  std::string made = (parent / "slime-chaos-XXXXXX").string();
  if (!::mkdtemp(made.data()))
    return Error{Errc::io_error, fmt::format("making a folder for temporary files, {}: {}", made,
                                             std::strerror(errno))};
  return WorkFolder(made, false);
}

Result<WorkFolder> WorkFolder::create_in_memory() {
  auto in_memory = create_new("/dev/shm");
  return in_memory ? std::move(in_memory) : create({});
}

Result<WorkFolder> WorkFolder::create(const fs::path& path) {
  std::error_code failure;
  if (path.empty()) {
    const fs::path parent = fs::temp_directory_path(failure);
    if (!failure) return create_new(parent);
    return Error{Errc::io_error, "finding the folder for temporary files: " + failure.message()};
  }
  fs::create_directories(path, failure);
  const bool empty = !failure && fs::is_empty(path, failure);
  if (failure)
    return Error{Errc::io_error,
                 fmt::format("making the folder {}: {}", path.string(), failure.message())};
  if (!empty)
    return Error{Errc::already_exists,
                 fmt::format("using the folder {}: there is something in it; name an empty one or "
                             "one that is not there",
                             path.string())};
  return WorkFolder(fs::absolute(path), true);
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (!kept_ && !path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace slime::tools

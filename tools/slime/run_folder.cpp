#include "tools/slime/run_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace slime::tools {

namespace {

// A socket's address holds 107 bytes; what is left takes the folder's and the socket's own name.
constexpr std::size_t parent_bytes_max = 60;

std::string parent_of(const Environment& environment) {
  const auto runtime = environment.find("XDG_RUNTIME_DIR");
  const bool usable = runtime != environment.end() && runtime->second.starts_with('/') &&
                      runtime->second.size() <= parent_bytes_max &&
                      ::access(runtime->second.c_str(), W_OK | X_OK) == 0;
  return usable ? runtime->second : "/tmp";
}

}  // namespace

Result<RunFolder> RunFolder::create(const Environment& environment) {
  std::string path = parent_of(environment) + "/slime-run-XXXXXX";
  if (!::mkdtemp(path.data()))
    return Error{Errc::io_error,
                 fmt::format("creating a folder for the run, {}: {}", path, std::strerror(errno))};
  return RunFolder(path);
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace slime::tools

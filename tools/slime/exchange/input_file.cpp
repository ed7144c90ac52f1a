#include "tools/slime/exchange/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace slime::tools {

namespace {

Error failed(const std::filesystem::path& path, Errc code, const std::string& why) {
  return {code, "reading " + path.string() + ": " + why};
}

}  // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  // A pipe without a writer would otherwise hold this up for ever.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    const Errc code = errno == ENOENT ? Errc::not_found : Errc::io_error;
    return failed(path, code, std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0)
    return failed(path, Errc::io_error, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return failed(path, Errc::io_error, "it is not a regular file");
  return InputFile(path, std::move(file), static_cast<std::uint64_t>(status.st_size));
}

std::filesystem::path InputFile::alias() const {
  return "/proc/self/fd/" + std::to_string(file_.number());
}

Status InputFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(file_.number(), out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path_, Errc::io_error, std::strerror(errno));
    if (got == 0)
      return failed(path_, Errc::corruption, "it ends at byte " + std::to_string(offset));
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return ok();
}

}  // namespace slime::tools

#include "tools/bench/plain_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

namespace slime::bench {

namespace {

constexpr std::size_t piece_bytes = 8 << 20;

class File {
 public:
  File(const std::filesystem::path& path, int flags)
      : path_(path), number_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (number_ < 0) fail("opening");
  }
  ~File() { ::close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int number() const { return number_; }
  [[noreturn]] void fail(const std::string& doing) const {
    throw std::runtime_error(doing + " " + path_.string() + ": " + std::strerror(errno));
  }

 private:
  const std::filesystem::path& path_;
  int number_;
};

}  // namespace

void forget_cached(const std::filesystem::path& path) {
  const File file(path, O_RDONLY);
  ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
}

void PlainFile::write(const Model& model) const {
  const File file(path_, O_WRONLY | O_CREAT | O_TRUNC);
  for (const auto* plane : {&model.values, &model.momentum})
    for (auto left = std::as_bytes(std::span(*plane)); !left.empty();) {
      const auto written = ::write(file.number(), left.data(), std::min(piece_bytes, left.size()));
      if (written < 0) file.fail("writing");
      left = left.subspan(static_cast<std::size_t>(written));
    }
  if (::fsync(file.number()) != 0) file.fail("syncing");
}

void PlainFile::read(Model& model) const {
  const File file(path_, O_RDONLY);
  for (auto* plane : {&model.values, &model.momentum})
    for (auto left = std::as_writable_bytes(std::span(*plane)); !left.empty();) {
      const auto got = ::read(file.number(), left.data(), std::min(piece_bytes, left.size()));
      if (got <= 0) file.fail("reading");
      left = left.subspan(static_cast<std::size_t>(got));
    }
}

}  // namespace slime::bench

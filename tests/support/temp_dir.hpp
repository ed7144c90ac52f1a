#pragma once

#include <sys/statvfs.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace slime::tests {

/// A fresh folder that lives as long as the object; made to be a fixture. In memory where there is
/// room: tests kill processes, not machines, so waiting for a disk would prove no more.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (parent() / "slime-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      throw std::system_error(errno, std::generic_category(), "making " + pattern);
    path_ = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file into the folder and returns its path.
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  /// Some tests write a program and start it.
  static std::filesystem::path parent() {
    const char* memory = "/dev/shm";
    struct statvfs there {};
    const bool usable = ::statvfs(memory, &there) == 0 && (there.f_flag & ST_NOEXEC) == 0 &&
                        there.f_bavail * there.f_frsize > (1u << 30);
    return usable ? std::filesystem::path(memory) : std::filesystem::temp_directory_path();
  }

  std::filesystem::path path_;
};

}  // namespace slime::tests

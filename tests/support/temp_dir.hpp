#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace slime::tests {

/// A fresh folder that lives as long as the object; made to be a fixture. In memory where there is
/// room: tests kill processes, not machines, so waiting for a disk would prove no more.
class TempDir {
 public:
  TempDir() {
    std::error_code error;
    const std::filesystem::path memory = "/dev/shm";
    const bool roomy = std::filesystem::space(memory, error).available > (1u << 30) && !error;
    const auto parent = roomy ? memory : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "slime-XXXXXX").string();
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

 private:
  std::filesystem::path path_;
};

}  // namespace slime::tests

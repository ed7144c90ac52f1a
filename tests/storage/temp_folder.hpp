#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace slime::storage::tests {

/// A folder that goes with the object. In memory where there is room: these tests kill processes,
/// not machines, so waiting for a disk would prove no more.
class TempFolder {
 public:
  TempFolder() {
    std::error_code error;
    const std::filesystem::path memory = "/dev/shm";
    const bool roomy = std::filesystem::space(memory, error).available > (1u << 30) && !error;
    const auto parent = roomy ? memory : std::filesystem::temp_directory_path();
    std::string name = (parent / "slime-storage-XXXXXX").string();
    if (!::mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Every file under `folder` with its bytes.
inline std::map<std::string, std::string> tree_bytes(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    files[entry.path().string()] = entry.is_regular_file() ? file_bytes(entry.path()) : "";
  return files;
}

}  // namespace slime::storage::tests

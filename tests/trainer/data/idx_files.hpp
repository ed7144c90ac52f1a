#pragma once

#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace slime::tests {

using Bytes = std::vector<std::uint8_t>;

/// A folder that exists as long as the fixture, for files that tests write.
class IdxFolder {
 public:
  IdxFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "slime_idx_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~IdxFolder() { std::filesystem::remove_all(path_); }
  IdxFolder(const IdxFolder&) = delete;
  IdxFolder& operator=(const IdxFolder&) = delete;

  std::filesystem::path write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(path_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

/// Header with these dimensions, then `values` bytes 0, 1, 2, ...
inline Bytes idx_bytes(const std::vector<std::uint32_t>& dimensions, std::size_t values) {
  Bytes bytes{0, 0, 8, static_cast<std::uint8_t>(dimensions.size())};
  for (std::uint32_t extent : dimensions)
    for (int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(extent >> shift));
  for (std::size_t i = 0; i < values; ++i) bytes.push_back(static_cast<std::uint8_t>(i));
  return bytes;
}

/// The bytes as a gzip stream.
inline Bytes gzip(Bytes bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  stream.next_in = bytes.data();
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace slime::tests

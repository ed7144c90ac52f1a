#include "trainer/data/idx_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <system_error>

namespace slime::trainer {

namespace {

/// A sequential reader of one file; zlib unpacks it if it is gzipped.
class Reader {
 public:
  static Result<Reader> open(const std::filesystem::path& path) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    if (status.type() == std::filesystem::file_type::not_found)
      return Error{Errc::not_found, "reading " + path.string() + ": no such file"};
    if (failed) return Error{Errc::io_error, "reading " + path.string() + ": " + failed.message()};
    if (status.type() != std::filesystem::file_type::regular)
      return Error{Errc::io_error, "reading " + path.string() + ": it is not a regular file"};
    const gzFile file = gzopen(path.c_str(), "rb");
    if (file == nullptr)
      return Error{Errc::io_error, "reading " + path.string() + ": " +
                                       std::error_code(errno, std::generic_category()).message()};
    gzbuffer(file, 1U << 17);
    return Reader(file);
  }

  /// Fills `bytes` and returns how many there were before the end of the data, or before trouble.
  std::size_t read(std::span<std::uint8_t> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const auto wanted =
          static_cast<unsigned>(std::min<std::size_t>(bytes.size() - done, 1U << 30));
      const int got = gzread(file_.get(), bytes.data() + done, wanted);
      if (got > 0) {
        crc_ = ::crc32(crc_, bytes.data() + done, static_cast<uInt>(got));
        done += static_cast<std::size_t>(got);
      }
      if (got < static_cast<int>(wanted)) break;
    }
    int code = Z_OK;
    const char* text = gzerror(file_.get(), &code);
    if (code == Z_BUF_ERROR)
      trouble_ = "the gzip stream ends too early";
    else if (code != Z_OK)
      trouble_ = text;
    return done;
  }

  /// What went wrong in unpacking; empty if nothing did.
  const std::string& trouble() const { return trouble_; }
  /// Of all bytes read so far.
  std::uint32_t crc() const { return static_cast<std::uint32_t>(crc_); }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };

  explicit Reader(gzFile file) : file_(file) {}

  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> file_;
  std::string trouble_;
  uLong crc_ = ::crc32(0, nullptr, 0);
};

std::uint32_t big_endian(std::span<const std::uint8_t> bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) |
         (std::uint32_t{bytes[2]} << 8) | bytes[3];
}

std::string hex(std::uint32_t value) {
  std::array<char, 11> text;
  std::snprintf(text.data(), text.size(), "0x%08x", value);
  return text.data();
}

/// Reads `size` bytes, enlarging memory only after what is there has been filled.
std::vector<std::uint8_t> read_growing(Reader& reader, std::size_t size) {
  std::vector<std::uint8_t> values;
  while (values.size() < size) {
    const std::size_t filled = values.size();
    values.resize(std::min(size, std::max<std::size_t>(1U << 20, 2 * filled)));
    const std::size_t got = reader.read(std::span(values).subspan(filled));
    if (filled + got == values.size()) continue;
    values.resize(filled + got);
    break;
  }
  return values;
}

}  // namespace

Result<IdxFile> read_idx(const std::filesystem::path& path, std::size_t dimensions) {
  auto reader = Reader::open(path);
  if (!reader) return reader.error();
  const auto corrupt = [&](std::string text) {
    if (!reader->trouble().empty()) text += "; " + reader->trouble();
    return Error{Errc::corruption, "reading " + path.string() + ": " + text};
  };

  std::vector<std::uint8_t> header(4 * (1 + dimensions));
  const std::size_t header_bytes = reader->read(header);
  if (header_bytes < header.size())
    return corrupt("expected a header of " + std::to_string(header.size()) + " bytes, found " +
                   std::to_string(header_bytes) + " bytes in the file");
  const std::uint32_t magic = big_endian(header);
  const std::uint32_t magic_wanted = 0x0800U + static_cast<std::uint32_t>(dimensions);
  if (magic != magic_wanted)
    return corrupt("expected magic number " + hex(magic_wanted) + " (unsigned bytes, " +
                   std::to_string(dimensions) + " dimensions), found " + hex(magic));

  IdxFile file;
  std::size_t size = 1;
  for (std::size_t i = 1; i <= dimensions; ++i) {
    const std::size_t extent = big_endian(std::span(header).subspan(4 * i, 4));
    if (extent == 0) return corrupt("dimension " + std::to_string(i) + " is 0");
    if (size > std::numeric_limits<std::int64_t>::max() / extent)
      return corrupt("its header promises more values than can be");
    size *= extent;
    file.dimensions.push_back(extent);
  }
  file.values = read_growing(*reader, size);
  // One byte beyond the end: it shows surplus, and makes zlib check the sum at the end.
  std::uint8_t surplus = 0;
  const bool has_surplus = reader->read({&surplus, 1}) > 0;
  const std::size_t found = header.size() + file.values.size() + (has_surplus ? 1 : 0);
  if (file.values.size() < size || has_surplus || !reader->trouble().empty())
    return corrupt("its header promises " + std::to_string(header.size() + size) +
                   " bytes, found " + (has_surplus ? "at least " : "") + std::to_string(found));
  file.crc32 = reader->crc();
  return file;
}

}  // namespace slime::trainer

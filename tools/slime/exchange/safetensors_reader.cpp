#include "tools/slime/exchange/safetensors_reader.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tools/slime/exchange/input_file.hpp"
#include "tools/slime/exchange/safetensors_header.hpp"

namespace slime::tools {

namespace {

// Numbers converted at a time.
constexpr std::size_t piece_numbers = 1U << 14;

class Stream final : public NumberStream {
 public:
  Stream(const InputFile& file, NumberFormat format, std::uint64_t offset)
      : file_(file), format_(format), offset_(offset) {}

  Status read(std::span<float> out) override {
    while (!out.empty()) {
      const auto piece = out.first(std::min(out.size(), piece_numbers));
      bytes_.resize(piece.size() * bytes_per_number(format_));
      if (Status got = file_.read(offset_, bytes_); !got) return got;
      to_floats(format_, bytes_, piece);
      offset_ += bytes_.size();
      out = out.subspan(piece.size());
    }
    return ok();
  }

 private:
  const InputFile& file_;
  NumberFormat format_;
  std::uint64_t offset_;
  std::vector<std::byte> bytes_;
};

class Reader final : public TensorFileReader {
 public:
  Reader(InputFile file, SafetensorsHeader header, std::uint64_t data)
      : file_(std::move(file)), header_(std::move(header)), data_(data) {}

  std::span<const FileTensor> tensors() const override { return header_.tensors; }

  Result<std::unique_ptr<NumberStream>> open(std::size_t index) const override {
    const SafetensorsPlace& place = header_.places[index];
    return std::unique_ptr<NumberStream>(
        std::make_unique<Stream>(file_, place.format.value(), data_ + place.first));
  }

 private:
  InputFile file_;
  SafetensorsHeader header_;
  std::uint64_t data_;  ///< Where the data begins.
};

}  // namespace

Result<std::unique_ptr<TensorFileReader>> read_safetensors(const std::filesystem::path& path) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  const auto damaged = [&path](const std::string& why) {
    return Error{Errc::corruption, "reading " + path.string() + ": " + why};
  };
  std::array<std::byte, safetensors_length_bytes> start{};
  if (file->size() < start.size())
    return damaged("it has " + std::to_string(file->size()) +
                   " bytes, too few for a safetensors "
                   "file");
  if (Status got = file->read(0, start); !got) return got.error();
  std::uint64_t length = 0;
  for (std::size_t i = start.size(); i-- > 0;)
    length = length << 8 | std::to_integer<std::uint64_t>(start[i]);
  if (length > safetensors_header_bytes_max || length > file->size() - start.size())
    return damaged("it promises a header of " + std::to_string(length) + " bytes; the file has " +
                   std::to_string(file->size()) + ", and " +
                   std::to_string(safetensors_header_bytes_max) +
                   " are allowed; it is damaged or no safetensors file");
  std::string json(length, '\0');
  if (Status got = file->read(start.size(), std::as_writable_bytes(std::span(json))); !got)
    return got.error();
  const std::uint64_t data = start.size() + length;
  auto header = read_safetensors_header(json, file->size() - data);
  if (!header) return damaged(header.error().context);
  return std::unique_ptr<TensorFileReader>(
      std::make_unique<Reader>(std::move(*file), std::move(*header), data));
}

}  // namespace slime::tools

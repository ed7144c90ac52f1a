#include "tools/slime/exchange/npz_writer.hpp"

#include <minizip/zip.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/npy_header.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

static_assert(std::endian::native == std::endian::little, "floats are written as they lie");

constexpr std::uint64_t bytes_max_without_zip64 = 0xffff0000;
constexpr uLong utf8_names = 1UL << 11;
// What the format has room for is 65,535.
constexpr std::size_t comment_bytes_max = 60'000;
constexpr std::size_t piece_bytes = 1U << 24;

/// numpy's own, so that equal contents give equal files: the first moment that zip knows.
zip_fileinfo entry_info() {
  zip_fileinfo info{};
  info.tmz_date.tm_year = 1980;
  info.tmz_date.tm_mday = 1;
  return info;
}

class Writer final : public TensorFileWriter {
 public:
  Writer(const NewFile& file, std::span<const trainer::TensorInfo> tensors, std::string comment)
      : file_(file), tensors_(tensors.begin(), tensors.end()), comment_(std::move(comment)) {}

  ~Writer() override {
    if (zip_ != nullptr) zipClose(zip_, nullptr);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Status open() {
    errno = 0;
    zip_ = zipOpen64(file_.draft().c_str(), APPEND_STATUS_CREATE);
    return zip_ != nullptr ? ok() : failed();
  }

  Status begin() override {
    if (Status ended = end_entry(); !ended) return ended;
    const trainer::TensorInfo& tensor = tensors_[next_++];
    const std::string header = npy_header(tensor.shape);
    const std::string name = tensor.name + ".npy";
    const zip_fileinfo info = entry_info();
    const bool zip64 = tensor.count * sizeof(float) + header.size() > bytes_max_without_zip64;
    errno = 0;
    // Stored; what follows the level is for deflate and encryption, which are not used.
    if (zipOpenNewFileInZip4_64(zip_, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, 0, 0, 0,
                                -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0, 0,
                                utf8_names, zip64 ? 1 : 0) != ZIP_OK)
      return failed();
    in_entry_ = true;
    return append(std::as_bytes(std::span(header)));
  }

  Status write(std::span<const float> numbers) override { return append(std::as_bytes(numbers)); }

  Status finish() override {
    if (Status ended = end_entry(); !ended) return ended;
    errno = 0;
    return zipClose(std::exchange(zip_, nullptr), comment_.c_str()) == ZIP_OK ? ok() : failed();
  }

 private:
  Status append(std::span<const std::byte> bytes) {
    errno = 0;
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(bytes.size(), piece_bytes));
      if (zipWriteInFileInZip(zip_, piece.data(), static_cast<unsigned>(piece.size())) != ZIP_OK)
        return failed();
      bytes = bytes.subspan(piece.size());
    }
    return ok();
  }

  Status end_entry() {
    errno = 0;
    if (std::exchange(in_entry_, false) && zipCloseFileInZip(zip_) != ZIP_OK) return failed();
    return ok();
  }

  Error failed() const {
    return {Errc::io_error, "writing " + file_.target().string() + ": " +
                                (errno != 0 ? std::strerror(errno) : "the archive refused it")};
  }

  const NewFile& file_;
  std::vector<trainer::TensorInfo> tensors_;
  std::string comment_;
  zipFile zip_ = nullptr;
  std::size_t next_ = 0;
  bool in_entry_ = false;
};

}  // namespace

Result<std::unique_ptr<TensorFileWriter>> write_npz(NewFile& file,
                                                    std::span<const trainer::TensorInfo> tensors,
                                                    const FileMetadata& metadata) {
  JsonObject said;
  for (const auto& [name, text] : metadata) said.text(name, text);
  std::string comment = said.str();
  if (comment.size() > comment_bytes_max)
    return Error{Errc::io_error, "writing " + file.target().string() +
                                     ": what it says of its tensors does not fit into a .npz "
                                     "file; write a .safetensors file"};
  auto writer = std::make_unique<Writer>(file, tensors, std::move(comment));
  if (Status opened = writer->open(); !opened) return opened.error();
  return std::unique_ptr<TensorFileWriter>(std::move(writer));
}

}  // namespace slime::tools

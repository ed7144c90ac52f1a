#include "tools/slime/exchange/npz_reader.hpp"

#include <fmt/format.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "tools/slime/exchange/input_file.hpp"
#include "tools/slime/exchange/npy_header.hpp"
#include "tools/slime/exchange/number_format.hpp"
#include "tools/slime/exchange/tensor_listing.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view extension = ".npy";
constexpr uLong stored = 0, deflated = 8;
constexpr uLong encrypted_flag = 1;
constexpr std::size_t piece_numbers = 1U << 14;

Error damaged(const InputFile& file, const std::string& why) {
  return {Errc::corruption, "reading " + file.path().string() + ": " + why};
}

/// The archive, opened once more; each handle has an entry of its own.
class Archive {
 public:
  static Result<Archive> open(const InputFile& file) {
    const unzFile zip = unzOpen64(file.alias().c_str());
    if (zip == nullptr) return damaged(file, "it is damaged or no .npz file");
    return Archive(zip);
  }

  unzFile handle() const { return zip_.get(); }

  /// Reads from the entry that is open. False: there is less in it, or it is damaged.
  bool read(std::span<std::byte> out) const {
    while (!out.empty()) {
      const int got = unzReadCurrentFile(handle(), out.data(), static_cast<unsigned>(out.size()));
      if (got <= 0) return false;
      out = out.subspan(static_cast<std::size_t>(got));
    }
    return true;
  }

 private:
  struct Close {
    void operator()(unzFile zip) const {
      unzCloseCurrentFile(zip);
      unzClose(zip);
    }
  };
  explicit Archive(unzFile zip) : zip_(zip) {}

  std::unique_ptr<void, Close> zip_;
};

/// Where an array is, and how to read it.
struct Entry {
  unz64_file_pos position{};
  std::size_t header_bytes = 0;
  std::optional<NumberFormat> format = {};  ///< Nothing: there is an objection to it.
  std::uint64_t numbers = 0;
};

std::optional<NumberFormat> format_of(std::string_view type) {
  if (type == "<f4") return NumberFormat::float32;
  if (type == "<f2") return NumberFormat::float16;
  if (type == "<f8") return NumberFormat::float64;
  return std::nullopt;
}

std::string objection_to(const NpyHeader& header) {
  if (!format_of(header.type))
    return fmt::format(
        "its numbers are of type {}; <f4, <f2 and <f8 can be taken: save "
        "numpy.float32(array)",
        json_quote(header.type.substr(0, 64)));
  if (header.fortran_order && header.shape.size() > 1)
    return "it is stored column by column; save numpy.ascontiguousarray(array)";
  return "";
}

class Stream final : public NumberStream {
 public:
  Stream(const InputFile& file, std::string name, Archive archive, const Entry& entry)
      : file_(file),
        name_(std::move(name)),
        archive_(std::move(archive)),
        format_(entry.format.value()),
        left_(entry.numbers) {}

  Status read(std::span<float> out) override {
    while (!out.empty()) {
      const auto piece = out.first(std::min(out.size(), piece_numbers));
      bytes_.resize(piece.size() * bytes_per_number(format_));
      if (!archive_.read(bytes_))
        return damaged(file_, fmt::format("array \"{}\" cannot be unpacked", name_));
      to_floats(format_, bytes_, piece);
      out = out.subspan(piece.size());
      left_ -= piece.size();
    }
    if (left_ == 0 && unzCloseCurrentFile(archive_.handle()) == UNZ_CRCERROR)
      return damaged(file_, fmt::format("the checksum of array \"{}\" is wrong", name_));
    return ok();
  }

 private:
  const InputFile& file_;
  std::string name_;
  Archive archive_;
  NumberFormat format_;
  std::uint64_t left_;
  std::vector<std::byte> bytes_;
};

class Reader final : public TensorFileReader {
 public:
  explicit Reader(InputFile file) : file_(std::move(file)) {}

  Status list() {
    const auto archive = Archive::open(file_);
    if (!archive) return archive.error();
    for (int at = unzGoToFirstFile(archive->handle()); at != UNZ_END_OF_LIST_OF_FILE;
         at = unzGoToNextFile(archive->handle())) {
      if (at != UNZ_OK) return damaged(file_, "its directory is damaged");
      if (Status listed = list_entry(*archive); !listed) return listed;
    }
    return ok();
  }

  std::span<const FileTensor> tensors() const override { return listing_.tensors(); }

  Result<std::unique_ptr<NumberStream>> open(std::size_t index) const override {
    const Entry& entry = entries_[index];
    const std::string& name = tensors()[index].name;
    auto archive = Archive::open(file_);
    if (!archive) return archive.error();
    std::vector<std::byte> header(entry.header_bytes);
    if (unzGoToFilePos64(archive->handle(), &entry.position) != UNZ_OK ||
        unzOpenCurrentFile(archive->handle()) != UNZ_OK || !archive->read(header))
      return damaged(file_, fmt::format("array \"{}\" cannot be unpacked", name));
    return std::unique_ptr<NumberStream>(
        std::make_unique<Stream>(file_, name, std::move(*archive), entry));
  }

 private:
  Status list_entry(const Archive& archive) {
    unz_file_info64 info{};
    std::array<char, TensorListing::name_bytes_max + extension.size() + 1> bytes{};
    if (unzGetCurrentFileInfo64(archive.handle(), &info, bytes.data(), bytes.size(), nullptr, 0,
                                nullptr, 0) != UNZ_OK)
      return damaged(file_, "its directory is damaged");
    const std::string_view name(bytes.data(),
                                std::min<std::size_t>(info.size_filename, bytes.size()));
    const auto wrong = [&](const std::string& why) {
      return damaged(file_, fmt::format("entry {}: {}", json_quote(name), why));
    };
    if (info.size_filename >= bytes.size() || !name.ends_with(extension))
      return wrong("its name is not that of a .npy array");
    if ((info.flag & encrypted_flag) != 0) return wrong("it is encrypted");
    if (info.compression_method != stored && info.compression_method != deflated)
      return wrong(fmt::format("it is packed by method {}; 0 (stored) and 8 (deflated) are known",
                               info.compression_method));
    const auto header = read_header(archive, info);
    if (!header) return wrong(header.error().context);
    const auto& [array, header_bytes] = *header;
    const std::string objection = objection_to(array);
    const std::string_view stem = name.substr(0, name.size() - extension.size());
    if (Status added = listing_.add({std::string(stem), array.shape, objection}); !added)
      return damaged(file_, added.error().context);
    Entry entry{.header_bytes = header_bytes, .numbers = *numbers_in(array.shape)};
    if (objection.empty()) {
      entry.format = format_of(array.type);
      const std::uint64_t due = header_bytes + entry.numbers * bytes_per_number(*entry.format);
      if (info.uncompressed_size != due ||
          (info.compression_method == stored && info.compressed_size != due))
        return wrong(fmt::format("its array needs {} bytes, and {} are announced", due,
                                 info.uncompressed_size));
    }
    if (unzGetFilePos64(archive.handle(), &entry.position) != UNZ_OK)
      return damaged(file_, "its directory is damaged");
    entries_.push_back(entry);
    return ok();
  }

  /// The header of the current entry's array, and how long it is.
  Result<std::pair<NpyHeader, std::size_t>> read_header(const Archive& archive,
                                                        const unz_file_info64& info) const {
    const Error unreadable{Errc::corruption, "it cannot be unpacked"};
    std::string header(npy_start_bytes, '\0');
    if (info.uncompressed_size < header.size() || unzOpenCurrentFile(archive.handle()) != UNZ_OK ||
        !archive.read(std::as_writable_bytes(std::span(header))))
      return unreadable;
    const auto bytes = npy_header_bytes(std::as_bytes(std::span(header)));
    if (!bytes) return bytes.error();
    header.resize(std::max(*bytes, npy_start_bytes));
    const auto rest = std::as_writable_bytes(std::span(header)).subspan(npy_start_bytes);
    if (!archive.read(rest)) return unreadable;
    unzCloseCurrentFile(archive.handle());
    auto array = read_npy_header(header);
    if (!array) return array.error();
    return std::pair(std::move(*array), *bytes);
  }

  InputFile file_;
  TensorListing listing_;
  std::vector<Entry> entries_;  ///< One for each tensor.
};

}  // namespace

Result<std::unique_ptr<TensorFileReader>> read_npz(const std::filesystem::path& path) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  auto reader = std::make_unique<Reader>(std::move(*file));
  if (Status listed = reader->list(); !listed) return listed.error();
  return std::unique_ptr<TensorFileReader>(std::move(reader));
}

}  // namespace slime::tools

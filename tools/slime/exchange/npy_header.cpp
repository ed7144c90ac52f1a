#include "tools/slime/exchange/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <optional>

namespace slime::tools {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;
// Of the dictionary; numpy itself distrusts those of more than 10,000 bytes.
constexpr std::size_t dictionary_bytes_max = 1U << 16;
constexpr std::size_t dimensions_max = 32;
constexpr std::string_view blanks = " \t\n\r\f";

Error damaged(const std::string& why) {
  return {Errc::corruption, "its header is not that of a .npy array: " + why};
}

/// What the length is written in: 2 bytes in version 1, 4 in those that followed.
std::size_t length_bytes(std::uint8_t version) {
  return version == 1 ? 2 : 4;
}

/// Reads Python's notation of a dictionary, as far as numpy writes it.
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : text_(text) {}

  std::optional<NpyHeader> read() {
    NpyHeader header;
    bool has_type = false, has_order = false, has_shape = false;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      std::string key;
      if (!quoted(key) || !take(':')) return std::nullopt;
      bool* const seen = key == "descr"           ? &has_type
                         : key == "fortran_order" ? &has_order
                         : key == "shape"         ? &has_shape
                                                  : nullptr;
      if (seen == nullptr || *seen) return std::nullopt;
      *seen = true;
      const bool read = seen == &has_type    ? type(header.type)
                        : seen == &has_order ? truth(header.fortran_order)
                                             : shape(header.shape);
      if (!read) return std::nullopt;
      if (!take(',') && peek() != '}') return std::nullopt;
    }
    const bool ended = text_.find_first_not_of(blanks) == std::string_view::npos;
    if (!ended || !has_type || !has_order || !has_shape) return std::nullopt;
    return header;
  }

 private:
  /// 0 at the end.
  char peek() {
    text_.remove_prefix(std::min(text_.find_first_not_of(blanks), text_.size()));
    return text_.empty() ? '\0' : text_.front();
  }

  bool take(char letter) {
    if (peek() != letter) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool take(std::string_view word) {
    if (peek() == '\0' || !text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  bool quoted(std::string& value) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return value.find('\\') == std::string::npos;
  }

  bool truth(bool& value) {
    value = take("True");
    return value || take("False");
  }

  bool type(std::string& value) {
    if (peek() != '[') return quoted(value);
    // Fields of a record: only where they end is of interest.
    std::size_t depth = 0, at = 0;
    do {
      if (at == text_.size()) return false;
      if (text_[at] == '[') ++depth;
      if (text_[at] == ']') --depth;
      ++at;
    } while (depth > 0);
    value = text_.substr(0, at);
    text_.remove_prefix(at);
    return true;
  }

  bool shape(std::vector<std::uint64_t>& extents) {
    if (!take('(')) return false;
    while (!take(')')) {
      std::uint64_t extent = 0;
      if (peek() == '\0' || extents.size() == dimensions_max) return false;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc()) return false;
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      extents.push_back(extent);
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
};

}  // namespace

std::string npy_header(std::span<const std::uint64_t> shape) {
  assert(shape.size() <= dimensions_max);
  // One extent alone would be a number in brackets, not a tuple.
  std::string dictionary =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}{}), }}",
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t before = magic.size() + 2 + 2;
  const std::size_t unpadded = before + dictionary.size() + 1;
  dictionary.append((alignment - unpadded % alignment) % alignment, ' ');
  dictionary += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

Result<std::size_t> npy_header_bytes(std::span<const std::byte> start) {
  assert(start.size() >= npy_start_bytes);
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (!text.starts_with(magic)) return damaged("it does not begin as one");
  const auto version = static_cast<std::uint8_t>(text[magic.size()]);
  if (version < 1 || version > 3 || text[magic.size() + 1] != 0)
    return damaged(fmt::format("its version is {}.{}; 1.0, 2.0 and 3.0 are known", version,
                               static_cast<std::uint8_t>(text[magic.size() + 1])));
  std::size_t length = 0;
  const std::size_t from = magic.size() + 2;
  for (std::size_t i = length_bytes(version); i-- > 0;)
    length = length << 8 | static_cast<std::uint8_t>(text[from + i]);
  if (length > dictionary_bytes_max)
    return damaged(
        fmt::format("it is {} bytes long; {} are allowed", length, dictionary_bytes_max));
  return from + length_bytes(version) + length;
}

Result<NpyHeader> read_npy_header(std::string_view header) {
  if (header.size() < npy_start_bytes) return damaged("it is too short");
  const auto bytes = npy_header_bytes(std::as_bytes(std::span(header)));
  if (!bytes) return bytes.error();
  if (*bytes != header.size()) return damaged("it has another length than it says");
  const auto version = static_cast<std::uint8_t>(header[magic.size()]);
  const auto read = Dictionary(header.substr(magic.size() + 2 + length_bytes(version))).read();
  if (!read)
    return damaged(
        "it is not the dictionary of 'descr', 'fortran_order' and 'shape' that numpy "
        "writes");
  return *read;
}

}  // namespace slime::tools

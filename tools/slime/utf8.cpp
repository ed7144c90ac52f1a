#include "tools/slime/utf8.hpp"

namespace slime::tools {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
  return length;
}

std::size_t utf8_prefix(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const std::size_t length = utf8_length(text.substr(bytes));
    if (length == 0) break;
    bytes += length;
  }
  return bytes;
}

std::string utf8_text(std::string_view text) {
  std::string whole;
  for (;;) {
    const std::size_t bytes = utf8_prefix(text);
    whole += text.substr(0, bytes);
    if (bytes == text.size()) return whole;
    whole += utf8_replacement;
    text.remove_prefix(bytes + 1);
  }
}

}  // namespace slime::tools

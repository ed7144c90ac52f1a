#include "tools/slime/json_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace slime::tools {

namespace {

/// Bytes of the UTF-8 sequence at the front of `text`; 0 when there is no valid one (Unicode 15,
/// table 3-7).
std::size_t sequence_length(std::string_view text) {
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

}  // namespace

std::string json_quote(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0)
      quoted += "\xef\xbf\xbd";
    else if (first == '"' || first == '\\')
      quoted.append({'\\', text.front()});
    else if (first < 0x20 || first == 0x7f)
      quoted += fmt::format("\\u{:04x}", first);
    else
      quoted += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted + "\"";
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

JsonObject& JsonObject::raw(std::string_view name, std::string_view json) {
  if (!fields_.empty()) fields_ += ',';
  fields_ += json_quote(name);
  fields_ += ':';
  fields_ += json;
  return *this;
}

}  // namespace slime::tools

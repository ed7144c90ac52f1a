#include "tools/slime/json_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "tools/slime/utf8.hpp"

namespace slime::tools {

std::string json_quote(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0)
      quoted += utf8_replacement;
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

#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace slime::tools {

/// `text` in quotes, with the escapes that JSON and TOML share. Bytes that are no UTF-8 become
/// U+FFFD, so that a script's reader never chokes on a file name.
std::string json_quote(std::string_view text);

/// Shortest form that reads back to `value`; "null" for a value that is not finite, since JSON has
/// none of these.
std::string json_number(double value);

/// Builds one JSON object in one line, fields in the order they are added.
class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) {
    return raw(name, json_quote(value));
  }
  JsonObject& number(std::string_view name, double value) { return raw(name, json_number(value)); }
  template <std::integral T>
  JsonObject& number(std::string_view name, T value) {
    return raw(name, std::to_string(value));
  }
  /// A number, or null when there is none.
  JsonObject& optional(std::string_view name, std::optional<double> value) {
    return value ? number(name, *value) : null(name);
  }
  JsonObject& boolean(std::string_view name, bool value) {
    return raw(name, value ? "true" : "false");
  }
  JsonObject& null(std::string_view name) { return raw(name, "null"); }
  /// `json` is a complete JSON value.
  JsonObject& raw(std::string_view name, std::string_view json);

  std::string str() const { return "{" + fields_ + "}"; }

 private:
  std::string fields_;
};

}  // namespace slime::tools

#include "tools/slime/settings/origin.hpp"

#include <fmt/format.h>

namespace slime::tools {

std::string_view to_string(Origin::Source source) {
  switch (source) {
    case Origin::Source::default_value:
      return "default";
    case Origin::Source::file:
      return "file";
    case Origin::Source::environment:
      return "environment";
    case Origin::Source::flag:
      return "flag";
  }
  return "unknown";
}

std::string to_string(const Origin& origin) {
  if (origin.source == Origin::Source::default_value) return "default";
  if (origin.source == Origin::Source::file) return fmt::format("{}:{}", origin.name, origin.line);
  return fmt::format("{} {}", to_string(origin.source), origin.name);
}

std::string position(const Origin& origin) {
  if (origin.source == Origin::Source::file)
    return fmt::format("{}:{}:{}", origin.name, origin.line, origin.column);
  // Which setting, the message says itself.
  if (origin.source == Origin::Source::flag) return "--set";
  return origin.source == Origin::Source::default_value ? "default" : origin.name;
}

}  // namespace slime::tools

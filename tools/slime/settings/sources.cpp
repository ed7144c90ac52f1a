#include "tools/slime/settings/sources.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "tools/slime/settings/assign.hpp"
#include "tools/slime/settings/setting.hpp"

namespace slime::tools {

namespace {

Error refused(const Origin& origin, std::string_view why) {
  return {Errc::invalid_argument, fmt::format("{}: {}", position(origin), why)};
}

/// `text` as a table with one "value" of the kind the setting wants. On a command line the shell
/// has eaten the quotes, so a text or a choice may come without.
Result<toml::table> parse_value(const Setting& setting, const std::string& text,
                                const Origin& origin) {
  const capnp::Type type = setting.field.getType();
  const bool quoted = text.starts_with('"') || text.starts_with('\'');
  if ((type.isText() || type.isEnum()) && !quoted) return toml::table{{"value", text}};
  auto parsed = parse_toml_value(text);
  if (parsed) return parsed;
  // A bare word is well understood as a text; that the setting wants a number is the better
  // message.
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())))
    return toml::table{{"value", text}};
  return refused(origin, fmt::format("the value of {} cannot be read: {}", setting.name,
                                     parsed.error().context));
}

}  // namespace

Status assign_text(Settings settings, std::string_view name, const std::string& text, Origin origin,
                   Origins& origins) {
  Assigner assigner(settings.getSchema(), origin, origins);
  Settings target = settings;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t dot = name.find('.', begin);
    const std::string_view prefix = name.substr(0, begin);
    const std::string_view key = name.substr(begin, dot - begin);
    const auto setting = find_setting(target.getSchema(), prefix, key);
    if (!setting) return assigner.unknown(target.getSchema(), prefix, key, origin);
    if (dot == std::string_view::npos) {
      auto value = parse_value(*setting, text, origin);
      if (!value) return value.error();
      return assigner.field(target, *setting, *value->get("value"));
    }
    if (!setting->is_group())
      return refused(origin, fmt::format("{} has no parts: set it as a whole", setting->name));
    target = target.get(setting->field).as<capnp::DynamicStruct>();
    begin = dot + 1;
  }
}

Status apply_file(Settings settings, const std::filesystem::path& file, const FileKind& kind,
                  Origins& origins) {
  const auto values = read_toml_file(file, kind);
  if (!values) return values.error();
  Origin origin{Origin::Source::file, file.string(), 0, 0};
  return Assigner(settings.getSchema(), std::move(origin), origins).table(settings, *values, "");
}

Status apply_set(Settings settings, const std::string& set, Origins& origins) {
  const std::size_t equals = set.find('=');
  Origin origin{Origin::Source::flag, "--set " + set.substr(0, equals), 0, 0};
  if (equals == std::string::npos || equals == 0)
    return refused(origin,
                   fmt::format("NAME=VALUE is wanted, such as sync.mode=bsp; found \"{}\"", set));
  return assign_text(settings, std::string_view(set).substr(0, equals), set.substr(equals + 1),
                     std::move(origin), origins);
}

}  // namespace slime::tools

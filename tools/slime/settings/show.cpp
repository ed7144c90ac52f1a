#include "tools/slime/settings/show.hpp"

#include <capnp/dynamic.h>
#include <fmt/format.h>

#include <string_view>

#include "tools/slime/json_text.hpp"
#include "tools/slime/settings/setting.hpp"

namespace slime::tools {

namespace {

enum class Syntax : std::uint8_t { toml, json };

std::string value_text(const capnp::DynamicValue::Reader& value, Syntax syntax);

std::string real_text(double value, Syntax syntax) {
  std::string text = json_number(value);
  // TOML tells 1.0 from 1; a reader of the file should see which one a setting takes.
  if (syntax == Syntax::toml && text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string list_text(capnp::DynamicList::Reader list, Syntax syntax) {
  std::string text = "[";
  for (const auto element : list) {
    if (text.size() > 1) text += syntax == Syntax::toml ? ", " : ",";
    text += value_text(element, syntax);
  }
  return text + "]";
}

std::string struct_text(capnp::DynamicStruct::Reader fields, Syntax syntax) {
  if (syntax == Syntax::json) {
    JsonObject object;
    for (const Setting& setting : settings_of(fields.getSchema(), ""))
      object.raw(setting.name, value_text(fields.get(setting.field), syntax));
    return object.str();
  }
  std::string text;
  for (const Setting& setting : settings_of(fields.getSchema(), ""))
    text += fmt::format("{}{} = {}", text.empty() ? "{ " : ", ", setting.name,
                        value_text(fields.get(setting.field), syntax));
  return text + " }";
}

std::string enum_text(capnp::DynamicEnum value) {
  KJ_IF_MAYBE (enumerant, value.getEnumerant()) {
    return json_quote(snake_case(enumerant->getProto().getName().cStr()));
  }
  return std::to_string(value.getRaw());
}

std::string value_text(const capnp::DynamicValue::Reader& value, Syntax syntax) {
  switch (value.getType()) {
    case capnp::DynamicValue::BOOL:
      return value.as<bool>() ? "true" : "false";
    case capnp::DynamicValue::INT:
      return std::to_string(value.as<std::int64_t>());
    case capnp::DynamicValue::UINT:
      return std::to_string(value.as<std::uint64_t>());
    case capnp::DynamicValue::FLOAT:
      return real_text(value.as<double>(), syntax);
    case capnp::DynamicValue::ENUM:
      return enum_text(value.as<capnp::DynamicEnum>());
    case capnp::DynamicValue::LIST:
      return list_text(value.as<capnp::DynamicList>(), syntax);
    case capnp::DynamicValue::STRUCT:
      return struct_text(value.as<capnp::DynamicStruct>(), syntax);
    default: {
      const auto text = value.as<capnp::Text>();
      return json_quote({text.begin(), text.size()});
    }
  }
}

/// Calls `use(setting, value, origin)` for every setting, in the order of a TOML file.
template <class Use>
void for_each_value(capnp::DynamicStruct::Reader fields, std::string_view prefix,
                    const Origins& origins, Use& use) {
  const auto settings = settings_of(fields.getSchema(), prefix);
  for (const Setting& setting : settings) {
    if (setting.is_group()) continue;
    const auto found = origins.find(setting.name);
    use(setting, fields.get(setting.field), found == origins.end() ? Origin() : found->second);
  }
  for (const Setting& setting : settings)
    if (setting.is_group())
      for_each_value(fields.get(setting.field).as<capnp::DynamicStruct>(), setting.name + ".",
                     origins, use);
}

template <class Use>
void for_each_value(const JobSettings& settings, Use use) {
  settings.job.read([&](schema::JobSpec::Reader job) {
    for_each_value(capnp::toDynamic(job), "", settings.origins, use);
  });
}

std::string comments(const Setting& setting) {
  const capnp::Type type = setting.field.getType();
  std::string text;
  if (!setting.doc.empty()) text += fmt::format("# {}\n", setting.doc);
  if (!setting.range.empty())
    text += fmt::format("# {}: {}\n", type.isList() ? "range of each" : "range", setting.range);
  if (!setting.empty_means.empty()) text += fmt::format("# empty: {}\n", setting.empty_means);
  if (type.isEnum())
    for (const auto enumerant : type.asEnum().getEnumerants()) {
      const auto proto = enumerant.getProto();
      text += fmt::format("# \"{}\": {}\n", snake_case(proto.getName().cStr()), doc_of(proto));
    }
  if (type.isList() && type.asList().getElementType().isStruct())
    for (const Setting& part : settings_of(type.asList().getStructElementType(), ""))
      text += fmt::format("# {}: {}\n", part.name, part.doc);
  return text;
}

std::string origin_json(const Origin& origin) {
  JsonObject object;
  object.text("source", to_string(origin.source));
  if (!origin.name.empty()) object.text("name", origin.name);
  if (origin.line > 0) object.number("line", origin.line);
  return object.str();
}

}  // namespace

std::string show_toml(const JobSettings& settings, bool with_origin) {
  std::string out;
  std::string table;
  for_each_value(settings, [&](const Setting& setting, const capnp::DynamicValue::Reader& value,
                               const Origin& origin) {
    const std::string_view name = setting.name;
    const std::string_view here = name.substr(0, name.size() - setting.key().size());
    if (!out.empty()) out += '\n';
    if (here != table) {
      table = here;
      out += fmt::format("[{}]\n", here.substr(0, here.size() - 1));
    }
    out += comments(setting);
    out += fmt::format("{} = {}", setting.key(), value_text(value, Syntax::toml));
    if (with_origin) out += "  # " + one_line(to_string(origin));
    out += '\n';
  });
  return out;
}

std::string show_json(const JobSettings& settings) {
  std::string list;
  for_each_value(settings, [&](const Setting& setting, const capnp::DynamicValue::Reader& value,
                               const Origin& origin) {
    JsonObject object;
    object.text("name", setting.name);
    object.raw("value", value_text(value, Syntax::json));
    object.raw("origin", origin_json(origin));
    object.text("doc", setting.doc);
    if (!setting.range.empty()) object.text("range", setting.range);
    if (!setting.empty_means.empty()) object.text("empty_means", setting.empty_means);
    list += (list.empty() ? "" : ",") + object.str();
  });
  return JsonObject().text("schema", "slime.v1").raw("settings", "[" + list + "]").str();
}

}  // namespace slime::tools

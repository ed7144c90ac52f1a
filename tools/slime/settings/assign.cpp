#include "tools/slime/settings/assign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tools/slime/nearest_word.hpp"
#include "tools/slime/settings/interval.hpp"
#include "tools/slime/settings/toml_text.hpp"

namespace slime::tools {

namespace {

using capnp::DynamicValue;

/// The values of an integer type, as far as TOML's 64 signed bits can say them.
struct Width {
  std::int64_t low;
  std::int64_t high;
};

template <class T>
Width width() {
  using Limits = std::numeric_limits<T>;
  const auto high = std::min<std::uint64_t>(static_cast<std::uint64_t>(Limits::max()),
                                            std::numeric_limits<std::int64_t>::max());
  return {static_cast<std::int64_t>(Limits::min()), static_cast<std::int64_t>(high)};
}

/// Nothing for a type that is no integer.
std::optional<Width> integer_width(capnp::Type type) {
  switch (type.which()) {
    case capnp::schema::Type::INT8:
      return width<std::int8_t>();
    case capnp::schema::Type::INT16:
      return width<std::int16_t>();
    case capnp::schema::Type::INT32:
      return width<std::int32_t>();
    case capnp::schema::Type::INT64:
      return width<std::int64_t>();
    case capnp::schema::Type::UINT8:
      return width<std::uint8_t>();
    case capnp::schema::Type::UINT16:
      return width<std::uint16_t>();
    case capnp::schema::Type::UINT32:
      return width<std::uint32_t>();
    case capnp::schema::Type::UINT64:
      return width<std::uint64_t>();
    default:
      return std::nullopt;
  }
}

std::string_view plural(capnp::Type type) {
  if (type.isStruct()) return "tables";
  if (type.isText() || type.isEnum()) return "texts";
  if (type.isBool()) return "true or false";
  return integer_width(type) ? "whole numbers" : "numbers";
}

}  // namespace

Status Assigner::table(capnp::DynamicStruct::Builder target, const toml::table& values,
                       std::string_view prefix) {
  // A table iterates by name; people mend a file from the top, so its first mistake comes first.
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, value] : values) entries.emplace_back(&key, &value);
  std::stable_sort(entries.begin(), entries.end(), [](const auto& left, const auto& right) {
    return left.first->source().begin < right.first->source().begin;
  });
  for (const auto& [key, value] : entries) {
    const auto setting = find_setting(target.getSchema(), prefix, key->str());
    if (!setting) return unknown(target.getSchema(), prefix, key->str(), at(key->source()));
    if (Status done = field(target, *setting, *value); !done) return done;
  }
  return ok();
}

Status Assigner::field(capnp::DynamicStruct::Builder target, const Setting& setting,
                       const toml::node& value) {
  const capnp::Type type = setting.field.getType();
  if (type.isStruct()) {
    const toml::table* inner = value.as_table();
    if (!inner) return mismatch(setting, "a table", value);
    return table(target.get(setting.field).as<capnp::DynamicStruct>(), *inner, setting.name + ".");
  }
  if (type.isList()) {
    if (Status done = list(target, setting, value); !done) return done;
  } else {
    auto read = scalar(setting, type, value);
    if (!read) return read.error();
    target.set(setting.field, *read);
  }
  if (!in_list_) origins_[setting.name] = at(value.source());
  return ok();
}

Status Assigner::list(capnp::DynamicStruct::Builder target, const Setting& setting,
                      const toml::node& node) {
  const capnp::Type type = setting.field.getType().asList().getElementType();
  const toml::array* values = node.as_array();
  if (!values) return mismatch(setting, fmt::format("an array of {}", plural(type)), node);
  auto out =
      target.init(setting.field, static_cast<unsigned>(values->size())).as<capnp::DynamicList>();
  for (unsigned i = 0; i < out.size(); ++i) {
    const toml::node& value = *values->get(i);
    if (type.isStruct()) {
      const toml::table* inner = value.as_table();
      if (!inner) return mismatch(setting, "an array of tables", value);
      const bool outer = std::exchange(in_list_, true);
      Status done = table(out[i].as<capnp::DynamicStruct>(), *inner, setting.name + ".");
      in_list_ = outer;
      if (!done) return done;
    } else {
      auto read = scalar(setting, type, value);
      if (!read) return read.error();
      out.set(i, *read);
    }
  }
  return ok();
}

Result<DynamicValue::Reader> Assigner::scalar(const Setting& setting, capnp::Type type,
                                              const toml::node& node) const {
  if (type.isText()) {
    const auto* text = node.as_string();
    if (!text) return mismatch(setting, "a text in quotes", node);
    const std::string& value = text->get();
    if (value.find('\0') != std::string::npos)
      return mismatch(setting, "a text without NUL characters", node);
    return DynamicValue::Reader(capnp::Text::Reader(value.c_str(), value.size()));
  }
  if (type.isBool()) {
    const auto* flag = node.as_boolean();
    if (!flag) return mismatch(setting, "true or false", node);
    return DynamicValue::Reader(flag->get());
  }
  if (type.isEnum()) return enumerant(setting, type.asEnum(), node);
  if (integer_width(type)) return integer(setting, type, node);
  return number(setting, node);
}

Result<DynamicValue::Reader> Assigner::integer(const Setting& setting, capnp::Type type,
                                               const toml::node& node) const {
  const auto* whole = node.as_integer();
  if (!whole) return mismatch(setting, "a whole number", node);
  const std::int64_t value = whole->get();
  const Width allowed = *integer_width(type);
  if (value < allowed.low || value > allowed.high)
    return mismatch(setting, fmt::format("a whole number from {} to {}", allowed.low, allowed.high),
                    node);
  if (Status fits = in_range(setting, static_cast<double>(value), node); !fits) return fits.error();
  return DynamicValue::Reader(value);
}

Result<DynamicValue::Reader> Assigner::number(const Setting& setting,
                                              const toml::node& node) const {
  double value = 0;
  if (const auto* whole = node.as_integer())
    value = static_cast<double>(whole->get());
  else if (const auto* real = node.as_floating_point())
    value = real->get();
  else
    return mismatch(setting, "a number", node);
  if (!std::isfinite(value)) return mismatch(setting, "a finite number", node);
  if (Status fits = in_range(setting, value, node); !fits) return fits.error();
  return DynamicValue::Reader(value);
}

Result<DynamicValue::Reader> Assigner::enumerant(const Setting& setting, capnp::EnumSchema schema,
                                                 const toml::node& node) const {
  const std::vector<std::string> names = enum_names(schema);
  const auto* text = node.as_string();
  if (!text) return mismatch(setting, fmt::format("one of {}", fmt::join(names, ", ")), node);
  for (const auto candidate : schema.getEnumerants())
    if (names[candidate.getIndex()] == text->get())
      return DynamicValue::Reader(capnp::DynamicEnum(candidate));
  const std::vector<std::string_view> words(names.begin(), names.end());
  return Error{Errc::invalid_argument,
               fmt::format("{}: {} must be one of {}; found \"{}\"; {}",
                           position(at(node.source())), setting.name, fmt::join(names, ", "),
                           text->get(), suggestion(text->get(), words))};
}

Status Assigner::in_range(const Setting& setting, double value, const toml::node& node) const {
  if (setting.range.empty()) return ok();
  const Result<Interval> interval = Interval::parse(setting.range);
  if (!interval) return Error{Errc::internal, "schema: " + interval.error().context};
  if (interval->contains(value)) return ok();
  return mismatch(setting, fmt::format("in {}", setting.range), node);
}

Error Assigner::mismatch(const Setting& setting, std::string_view expected,
                         const toml::node& found) const {
  return {Errc::invalid_argument,
          fmt::format("{}: {} must be {}; found {}", position(at(found.source())), setting.name,
                      expected, describe(found))};
}

Error Assigner::unknown(capnp::StructSchema schema, std::string_view prefix, std::string_view key,
                        const Origin& where) const {
  const std::vector<Setting> siblings = settings_of(schema, prefix);
  std::vector<std::string_view> words;
  for (const Setting& sibling : siblings) words.push_back(sibling.key());
  const auto nearest = nearest_word(key, words);
  std::string advice =
      nearest ? fmt::format("did you mean \"{}{}\"?", prefix, *nearest) : suggestion(key, words);
  // A key that exists in another table was probably put under the wrong header.
  for (const Setting& setting : all_settings(root_))
    if (setting.key() == key) advice = fmt::format("did you mean \"{}\"?", setting.name);
  return {Errc::invalid_argument, fmt::format("{}: there is no setting \"{}{}\"; {}",
                                              position(where), prefix, key, advice)};
}

Origin Assigner::at(const toml::source_region& region) const {
  Origin origin = source_;
  if (origin.source == Origin::Source::file) {
    origin.line = region.begin.line;
    origin.column = region.begin.column;
  }
  return origin;
}

}  // namespace slime::tools

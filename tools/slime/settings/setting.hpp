#pragma once

#include <capnp/schema.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slime::tools {

/// "stalenessMax" as job files write it: "staleness_max".
std::string snake_case(std::string_view camel_case);

/// What the schema says a field or an enumerant means; empty when it says nothing. The view lives
/// as long as the program: the schema is compiled in.
std::string_view doc_of(capnp::schema::Field::Reader field);
std::string_view doc_of(capnp::schema::Enumerant::Reader enumerant);

/// One field of a settings struct and what the schema says about it.
struct Setting {
  capnp::StructSchema::Field field;
  std::string name;              ///< Dotted: "sync.staleness_max".
  std::string_view doc;          ///< See doc_of, which gives the lifetime of all three.
  std::string_view range;        ///< Of the value, or of each element of a list; may be empty.
  std::string_view empty_means;  ///< May be empty.

  /// A table of further settings, not a value.
  bool is_group() const { return field.getType().isStruct(); }
  /// Name without its table: "staleness_max".
  std::string_view key() const { return std::string_view(name).substr(name.rfind('.') + 1); }
  /// "SLIME_SYNC_STALENESS_MAX".
  std::string variable() const;
};

/// The fields of `schema` itself, in the order of the schema; `prefix` is "" or "sync.".
std::vector<Setting> settings_of(capnp::StructSchema schema, std::string_view prefix);

/// Every value under `schema`: values first, then table by table, as a TOML file has to have them.
std::vector<Setting> all_settings(capnp::StructSchema schema, std::string_view prefix = "");

/// The setting called `key` among `settings_of(schema, prefix)`.
std::optional<Setting> find_setting(capnp::StructSchema schema, std::string_view prefix,
                                    std::string_view key);

/// Names of an enum's values as job files write them.
std::vector<std::string> enum_names(capnp::EnumSchema schema);

}  // namespace slime::tools

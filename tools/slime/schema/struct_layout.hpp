#pragma once

#include <capnp/schema.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace slime::tools {

/// Where and as what a field of a struct lies in a message.
struct FieldLayout {
  std::string name;          ///< With the groups around it: "place.row".
  capnp::Type type;          ///< Lives as long as the schema's parser.
  std::string type_text;     ///< All there is to say of the type; equal for equal types.
  std::uint32_t offset = 0;  ///< In units of the field's size, within its section.
  std::string default_value;
  /// The unions that it is a member of: where each keeps which member is set, in units of 16 bits,
  /// and the value that stands for this one.
  std::set<std::pair<std::uint32_t, std::uint16_t>> unions;
};

/// Every field by its ordinal, those of its groups included, for a group has no place of its own.
std::map<std::uint16_t, FieldLayout> layout_of(capnp::StructSchema schema);

struct LayoutChange {
  std::string what;
  std::string remedy;
};
/// Why a message in which the field lies as one says is not read as the other says. Nothing: it is.
std::optional<LayoutChange> change_of(const FieldLayout& older, const FieldLayout& newer);

}  // namespace slime::tools

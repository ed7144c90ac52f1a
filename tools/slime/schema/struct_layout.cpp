#include "tools/slime/schema/struct_layout.hpp"

#include <capnp/dynamic.h>
#include <fmt/format.h>
#include <kj/string.h>

namespace slime::tools {

namespace {

using Unions = std::set<std::pair<std::uint32_t, std::uint16_t>>;
using Layout = std::map<std::uint16_t, FieldLayout>;
using Which = capnp::schema::Type::Which;

constexpr const char* add_another = "keep it, and add another field with the next ordinal";

std::string short_name(capnp::Schema schema) {
  return schema.getShortDisplayName().cStr();
}

/// As it is written in a schema.
std::string written(capnp::Type type) {
  static constexpr const char* names[] = {"Void",    "Bool",    "Int8",   "Int16",  "Int32",
                                          "Int64",   "UInt8",   "UInt16", "UInt32", "UInt64",
                                          "Float32", "Float64", "Text",   "Data"};
  switch (type.which()) {
    case Which::LIST:
      return fmt::format("List({})", written(type.asList().getElementType()));
    case Which::ENUM:
      return short_name(type.asEnum());
    case Which::STRUCT:
      return short_name(type.asStruct());
    case Which::INTERFACE:
      return short_name(type.asInterface());
    case Which::ANY_POINTER:
      return "AnyPointer";
    default:
      return names[static_cast<std::size_t>(type.which())];
  }
}

bool same(capnp::Type older, capnp::Type newer);

/// A list of anything but bits may become one of structs whose first field is of that type.
bool first_field_is(capnp::Type element, capnp::Type structure) {
  if (structure.which() != Which::STRUCT || element.which() == Which::BOOL) return false;
  const Layout layout = layout_of(structure.asStruct());
  const auto first = layout.find(0);
  return first != layout.end() && first->second.offset == 0 && first->second.unions.empty() &&
         same(element, first->second.type);
}

bool same(capnp::Type older, capnp::Type newer) {
  if (older.which() != newer.which()) return false;
  switch (older.which()) {
    case Which::LIST:
      return same(older.asList().getElementType(), newer.asList().getElementType());
    case Which::ENUM:
      return older.asEnum().getProto().getId() == newer.asEnum().getProto().getId();
    case Which::STRUCT:
      return older.asStruct().getProto().getId() == newer.asStruct().getProto().getId();
    case Which::INTERFACE:
      return older.asInterface().getProto().getId() == newer.asInterface().getProto().getId();
    default:
      return true;
  }
}

/// What a type may become. Cap'n Proto allows a list of Text to become one of Data, too, which
/// programs of the older schema then cannot read.
bool may_become(capnp::Type older, capnp::Type newer) {
  if (older.which() != Which::LIST || newer.which() != Which::LIST) return false;
  const capnp::Type was = older.asList().getElementType(), is = newer.asList().getElementType();
  return may_become(was, is) || first_field_is(was, is);
}

void add_fields(capnp::StructSchema schema, const std::string& prefix, const Unions& around,
                Layout& layout) {
  const auto node = schema.getProto().getStruct();
  for (const auto field : schema.getFields()) {
    const auto proto = field.getProto();
    Unions unions = around;
    if (proto.getDiscriminantValue() != capnp::schema::Field::NO_DISCRIMINANT)
      unions.emplace(node.getDiscriminantOffset(), proto.getDiscriminantValue());
    const std::string name = prefix + proto.getName().cStr();
    if (proto.isGroup()) {
      add_fields(field.getType().asStruct(), name + ".", unions, layout);
      continue;
    }
    const auto ordinal = proto.getOrdinal().isExplicit()
                             ? proto.getOrdinal().getExplicit()
                             : static_cast<std::uint16_t>(layout.size());
    const auto slot = proto.getSlot();
    layout.emplace(ordinal, FieldLayout{.name = name,
                                        .type = field.getType(),
                                        .type_text = kj::str(slot.getType()).cStr(),
                                        .offset = slot.getOffset(),
                                        .default_value = kj::str(slot.getDefaultValue()).cStr(),
                                        .unions = unions});
  }
}

}  // namespace

Layout layout_of(capnp::StructSchema schema) {
  Layout layout;
  add_fields(schema, "", {}, layout);
  return layout;
}

std::optional<LayoutChange> change_of(const FieldLayout& older, const FieldLayout& newer) {
  const bool same_type = older.type_text == newer.type_text;
  if (!same_type && !may_become(older.type, newer.type)) {
    const std::string was = written(older.type), is = written(newer.type);
    return LayoutChange{was == is ? fmt::format("its type {} is another one of that name", was)
                                  : fmt::format("its type changed from {} to {}", was, is),
                        add_another};
  }
  if (same_type && older.default_value != newer.default_value)
    return LayoutChange{
        fmt::format("its default changed from {} to {}", older.default_value, newer.default_value),
        "keep the default; what was written with one is read as another value with the other"};
  for (const auto& member : older.unions)
    if (!newer.unions.contains(member))
      return LayoutChange{"its place in a union changed", "keep it in its union where it was"};
  for (const auto& [offset, value] : newer.unions)
    if (value != 0 && !older.unions.contains({offset, value}))
      return LayoutChange{"it was put into a union, and not as the member with the lowest ordinal",
                          "only new fields, with higher ordinals, may join it there"};
  if (older.offset != newer.offset)
    return LayoutChange{"it lies elsewhere in the message, for an earlier field changed",
                        "undo that change"};
  return std::nullopt;
}

}  // namespace slime::tools

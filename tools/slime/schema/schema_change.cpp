#include "tools/slime/schema/schema_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tools/slime/schema/struct_layout.hpp"

namespace slime::tools {

namespace {

using capnp::ParsedSchema;

constexpr const char* keep_ordinals =
    "keep it where it was; what is not needed any more is renamed, to obsoleteX for example, and "
    "its ordinal never used again";

std::string hex(std::uint64_t id) {
  return fmt::format("@0x{:016x}", id);
}

struct NamedType {
  std::string name;
  ParsedSchema schema;
};
using Types = std::map<std::uint64_t, NamedType>;

bool is_type(ParsedSchema schema) {
  const auto node = schema.getProto();
  return node.isStruct() || node.isEnum() || node.isInterface();
}

void collect(ParsedSchema scope, const std::string& prefix, Types& types) {
  const auto parent = scope.getProto();
  for (const auto nested : parent.getNestedNodes()) {
    const ParsedSchema schema = scope.getNested(nested.getName());
    const std::string name = prefix + nested.getName().cStr();
    if (is_type(schema)) types.emplace(nested.getId(), NamedType{name, schema});
    collect(schema, name + ".", types);
  }
}

const char* kind(ParsedSchema schema) {
  const auto node = schema.getProto();
  return node.isStruct() ? "a struct" : node.isEnum() ? "an enum" : "an interface";
}

class Comparison {
 public:
  Comparison(ParsedSchema older, ParsedSchema newer) : same_file_(check_file(older, newer)) {
    collect(older, "", older_);
    collect(newer, "", newer_);
    for (const auto& [id, type] : newer_) by_name_.emplace(type.name, &type);
  }

  SchemaComparison run() && {
    found_.types = older_.size();
    for (const auto& [id, type] : older_)
      if (const NamedType* other = counterpart(id, type)) compare(id, type, *other);
    return std::move(found_);
  }

 private:
  bool check_file(ParsedSchema older, ParsedSchema newer) {
    const std::uint64_t was = older.getProto().getId(), is = newer.getProto().getId();
    if (was == is) return true;
    found_.broken.push_back(
        {"", was, "", fmt::format("the file's id changed from {} to {}", hex(was), hex(is)),
         fmt::format("begin it with {}; as the ids of its types follow from that", hex(was))});
    return false;
  }

  void broken(std::uint64_t id, const NamedType& type, std::string field, std::string what,
              std::string remedy) {
    found_.broken.push_back({type.name, id, std::move(field), std::move(what), std::move(remedy)});
  }

  /// What the type is in the newer schema; null: nothing, which is noted.
  const NamedType* counterpart(std::uint64_t id, const NamedType& type) {
    const auto same = newer_.find(id);
    if (same != newer_.end()) {
      if (same->second.name != type.name)
        found_.renamed.push_back(
            {type.name, id, "", fmt::format("it is called {} now", same->second.name), ""});
      return &same->second;
    }
    const auto named = by_name_.find(type.name);
    if (named == by_name_.end()) {
      broken(id, type, "", "it is gone",
             fmt::format("keep it; under another name it needs its id: NAME {}", hex(id)));
      return nullptr;
    }
    if (same_file_)
      broken(id, type, "",
             fmt::format("its id changed from {} to {}", hex(id),
                         hex(named->second->schema.getProto().getId())),
             fmt::format("write its id behind its name: {} {}", type.name, hex(id)));
    return named->second;
  }

  void compare(std::uint64_t id, const NamedType& type, const NamedType& other) {
    const auto was = type.schema.getProto(), is = other.schema.getProto();
    if (was.which() != is.which())
      return broken(id, type, "",
                    fmt::format("it was {} and is {} now", kind(type.schema), kind(other.schema)),
                    "keep it, and add another type");
    if (was.isStruct()) compare_structs(id, type, other);
    if (was.isEnum()) compare_enums(id, type, other);
  }

  void compare_structs(std::uint64_t id, const NamedType& type, const NamedType& other) {
    const auto now = layout_of(other.schema.asStruct());
    for (const auto& [ordinal, field] : layout_of(type.schema.asStruct())) {
      const std::string named = fmt::format("{} @{}", field.name, ordinal);
      const auto found = now.find(ordinal);
      if (found == now.end()) {
        broken(id, type, named, "it is gone", keep_ordinals);
        continue;
      }
      if (const auto change = change_of(field, found->second))
        broken(id, type, named, change->what, change->remedy);
      else if (field.name != found->second.name)
        found_.renamed.push_back(
            {type.name, id, named, fmt::format("it is called {} now", found->second.name), ""});
    }
  }

  void compare_enums(std::uint64_t id, const NamedType& type, const NamedType& other) {
    const auto was = type.schema.asEnum().getEnumerants();
    const auto is = other.schema.asEnum().getEnumerants();
    for (unsigned i = 0; i < was.size(); ++i) {
      const std::string name = was[i].getProto().getName().cStr();
      const std::string named = fmt::format("{} @{}", name, i);
      if (i >= is.size()) {
        broken(id, type, named, "it is gone", keep_ordinals);
        continue;
      }
      const std::string now = is[i].getProto().getName().cStr();
      if (now != name)
        found_.renamed.push_back(
            {type.name, id, named, fmt::format("it is called {} now", now), ""});
    }
  }

  SchemaComparison found_;
  const bool same_file_;
  Types older_, newer_;
  std::map<std::string, const NamedType*> by_name_;  // Of the newer ones.
};

}  // namespace

SchemaComparison compare_schemas(ParsedSchema older, ParsedSchema newer) {
  return Comparison(older, newer).run();
}

}  // namespace slime::tools

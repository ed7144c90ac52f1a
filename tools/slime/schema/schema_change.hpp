#pragma once

#include <capnp/schema-parser.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slime::tools {

/// What became of a type or a field from one schema to another.
struct SchemaChange {
  std::string type;      ///< With the types around it: "Outer.Inner"; empty: the file.
  std::uint64_t id = 0;  ///< Of the type in the older schema.
  std::string field;     ///< Or the enumerant, with the groups around it; empty: the type itself.
  std::string what;
  std::string remedy;
};

struct SchemaComparison {
  std::size_t types = 0;  ///< Of the older schema: structs, enums and interfaces.
  std::vector<SchemaChange>
      broken;  ///< For which what was written by one is not read by the other.
  std::vector<SchemaChange> renamed;  ///< Only people, and texts that hold names, notice.

  bool compatible() const { return broken.empty(); }
};

/// Compares the types of two schema files by the rules for evolving Cap'n Proto schemas: types are
/// the same by their ids, fields by their ordinals. Types that are only imported and the methods of
/// interfaces are not looked into.
SchemaComparison compare_schemas(capnp::ParsedSchema older, capnp::ParsedSchema newer);

}  // namespace slime::tools

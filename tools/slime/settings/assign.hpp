#pragma once

#include <capnp/dynamic.h>
#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "tools/slime/settings/origin.hpp"
#include "tools/slime/settings/setting.hpp"

namespace slime::tools {

/// Writes TOML values from one source (a file, a variable, a flag) into a settings struct, guided
/// by the schema alone, and notes where each came from. After an error the struct is half written.
/// Every error is invalid_argument and says where, what was expected and what was found.
class Assigner {
 public:
  /// @param root    Schema of the whole; names the nearest setting when one is misplaced.
  /// @param source  Kind and name of the source; line and column are filled in for a file.
  /// `origins` is kept by reference.
  Assigner(capnp::StructSchema root, Origin source, Origins& origins)
      : root_(root), source_(std::move(source)), origins_(origins) {}

  /// Sets every key of `values`. `prefix` is the dotted name of `target` with its dot, or empty.
  Status table(capnp::DynamicStruct::Builder target, const toml::table& values,
               std::string_view prefix);
  /// Sets one field, which may be a group and `value` then a table.
  Status field(capnp::DynamicStruct::Builder target, const Setting& setting,
               const toml::node& value);
  /// The error for a key that `schema` does not have.
  Error unknown(capnp::StructSchema schema, std::string_view prefix, std::string_view key,
                const Origin& at) const;

 private:
  Status list(capnp::DynamicStruct::Builder target, const Setting& setting, const toml::node& node);
  Result<capnp::DynamicValue::Reader> scalar(const Setting& setting, capnp::Type type,
                                             const toml::node& node) const;
  Result<capnp::DynamicValue::Reader> integer(const Setting& setting, capnp::Type type,
                                              const toml::node& node) const;
  Result<capnp::DynamicValue::Reader> number(const Setting& setting, const toml::node& node) const;
  Result<capnp::DynamicValue::Reader> enumerant(const Setting& setting, capnp::EnumSchema schema,
                                                const toml::node& node) const;
  Status in_range(const Setting& setting, double value, const toml::node& node) const;
  Error mismatch(const Setting& setting, std::string_view expected, const toml::node& found) const;
  Origin at(const toml::source_region& region) const;

  capnp::StructSchema root_;
  Origin source_;
  Origins& origins_;
  bool in_list_ = false;  ///< Origins are kept for whole lists, not for their elements.
};

}  // namespace slime::tools

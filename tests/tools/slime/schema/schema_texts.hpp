#pragma once

#include <string>

#include "tests/support/temp_dir.hpp"
#include "tools/slime/schema/schema_source.hpp"

namespace slime::tests {

/// A folder of schemas that a test writes.
struct SchemaTexts : TempDir {
  static constexpr const char* file_id = "@0xf00dfeedbead0001;\n";

  /// Writes `body` as a file, with an id in front unless it has one, and returns its path.
  std::string schema(const std::string& name, const std::string& body) const {
    return write(name, (body.starts_with('@') ? "" : file_id) + body).string();
  }
  tools::SchemaSource source(const std::string& name, const std::string& body) const {
    return tools::SchemaSource::read(schema(name, body), {}).value();
  }
};

}  // namespace slime::tests

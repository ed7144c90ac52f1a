#pragma once

#include <capnp/schema-parser.h>

#include <memory>
#include <span>
#include <string>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// A .capnp file and what it imports, read from disk. What `root` gives lives as long as this.
/// Confined to its thread.
class SchemaSource {
 public:
  /// @param imports  Folders in which an import that begins with "/" is looked for, before those
  ///                 that the file is in, from the innermost, and /usr/local/include and
  ///                 /usr/include.
  /// Errors: not_found (no such file, or folder of imports), invalid_argument (it does not compile;
  /// with place and reason).
  static Result<SchemaSource> read(const std::string& file, std::span<const std::string> imports);

  SchemaSource(SchemaSource&&) noexcept;
  SchemaSource& operator=(SchemaSource&&) noexcept;
  ~SchemaSource();

  /// The file; its types are nested in it.
  capnp::ParsedSchema root() const;

 private:
  struct Inside;
  explicit SchemaSource(std::unique_ptr<Inside> inside);

  std::unique_ptr<Inside> inside_;
};

}  // namespace slime::tools

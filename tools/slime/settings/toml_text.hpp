#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// What a file of settings is to whoever mends it.
struct FileKind {
  std::string_view name;   ///< "job".
  std::string_view needs;  ///< What it must have at least.
};

/// Reads a TOML file of at most 1 MiB. Blocks on the disk. Errors: invalid_argument (missing,
/// unreadable, empty or too large file; or not TOML, with line and column).
Result<toml::table> read_toml_file(const std::filesystem::path& file, const FileKind& kind);

/// A table whose "value" is the TOML value written in `text`, such as `[0.8, 0.9]`.
/// Errors: invalid_argument.
Result<toml::table> parse_toml_value(std::string_view text);

/// What a value is, for people: `the text "four"`, `the number 2.5`, `a table`.
std::string describe(const toml::node& node);

}  // namespace slime::tools

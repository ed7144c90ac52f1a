#include "tools/slime/settings/toml_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace slime::tools {

namespace {

constexpr std::uintmax_t file_bytes_max = std::uintmax_t{1} << 20;

Error unreadable(const std::filesystem::path& file, const FileKind& kind, std::string_view why,
                 Errc code = Errc::invalid_argument) {
  return {code, fmt::format("reading {} file {}: {}", kind.name, file.string(), why)};
}

Result<std::string> read_file(const std::filesystem::path& file, const FileKind& kind) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (status.type() == std::filesystem::file_type::not_found)
    return unreadable(file, kind, "there is no such file; check the path", Errc::not_found);
  if (failure) return unreadable(file, kind, failure.message());
  if (std::filesystem::is_directory(status)) return unreadable(file, kind, "it is a directory");
  std::ifstream in(file, std::ios::binary);
  if (!in) return unreadable(file, kind, std::strerror(errno));
  // Read by count and not by file size, so that pipes work and an endless device is refused.
  std::string text(file_bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return unreadable(file, kind, std::strerror(errno));
  if (text.size() > file_bytes_max)
    return unreadable(file, kind, fmt::format("it is over 1 MiB: this is no {} file", kind.name));
  return text;
}

}  // namespace

Result<toml::table> read_toml_file(const std::filesystem::path& file, const FileKind& kind) {
  const Result<std::string> text = read_file(file, kind);
  if (!text) return text.error();
  try {
    toml::table table = toml::parse(*text, file.string());
    if (table.empty())
      return unreadable(file, kind,
                        fmt::format("it is empty: it sets nothing; a {} needs at least {}",
                                    kind.name, kind.needs));
    return table;
  } catch (const toml::parse_error& failure) {
    const auto at = failure.source().begin;
    return Error{Errc::invalid_argument, fmt::format("{}:{}:{}: not TOML: {}", file.string(),
                                                     at.line, at.column, failure.description())};
  }
}

Result<toml::table> parse_toml_value(std::string_view text) {
  try {
    toml::table table = toml::parse("value = " + std::string(text));
    if (table.size() == 1) return table;
    return Error{Errc::invalid_argument, "one value is wanted, not lines of them"};
  } catch (const toml::parse_error& failure) {
    return Error{Errc::invalid_argument, std::string(failure.description())};
  }
}

std::string describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return fmt::format("the text \"{}\"", node.as_string()->get());
    case toml::node_type::integer:
      return fmt::format("the number {}", node.as_integer()->get());
    case toml::node_type::floating_point: {
      // TOML's own form, because "found the number 2" would not tell why 2.0 was refused.
      std::ostringstream text;
      text << *node.as_floating_point();
      return "the number " + text.str();
    }
    case toml::node_type::boolean:
      return node.as_boolean()->get() ? "true" : "false";
    default:
      return "a date or time";
  }
}

}  // namespace slime::tools

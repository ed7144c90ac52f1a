#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace slime::tools {

/// Where the value of a setting came from. Later sources win over earlier ones.
struct Origin {
  enum class Source : std::uint8_t { default_value, file, environment, flag };

  Source source = Source::default_value;
  std::string name;        ///< The file, the variable or the flag: "--set workers".
  std::uint32_t line = 0;  ///< In the file, from 1.
  std::uint32_t column = 0;
};

/// "default", "file", "environment" or "flag".
std::string_view to_string(Origin::Source source);
/// For people: "job.toml:3", "environment SLIME_WORKERS", "flag --set workers", "default".
std::string to_string(const Origin& origin);
/// What an error message starts with: "job.toml:3:11", "SLIME_WORKERS", "--set".
std::string position(const Origin& origin);

/// Origins of the settings that are not at their default, by dotted name ("sync.mode").
using Origins = std::map<std::string, Origin, std::less<>>;

}  // namespace slime::tools

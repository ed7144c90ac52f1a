#include "tools/slime/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <vector>

#include "tools/slime/nearest_word.hpp"

namespace slime::tools {

namespace {

/// Shows what an argument is and what it is by default as people write it; CLI11 adds the C++ type
/// and its own notation of ranges.
class ReadableHelp final : public CLI::Formatter {
 public:
  /// CLI11 shows what a flag is by default as part of its name: "--resume{newest}".
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, positional);
    const std::size_t brace = name.find('{');
    return brace == std::string::npos ? name : name.replace(brace, std::string::npos, "[=WHICH]");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    if (type.empty()) return CLI::Formatter::make_option_opts(option);
    const std::string value = option->get_default_str();
    const std::string type_and_default = type + (value.empty() ? "" : "=" + value);
    // The name stands before the check: "SECONDS:FLOAT in [0 - 60]".
    const std::string name = type.substr(0, type.find(":FLOAT"));
    return CLI::detail::find_and_replace(CLI::Formatter::make_option_opts(option), type_and_default,
                                         name + (value.empty() ? "" : " (default " + value + ")"));
  }
};

/// The first argument that looks like a flag and is none of `flags`; empty when there is none.
std::string_view unknown_flag(std::span<const std::string> arguments,
                              std::span<const std::string_view> flags) {
  for (const std::string_view argument : arguments) {
    if (argument == "--") break;
    const std::string_view flag = argument.substr(0, argument.find('='));
    // "-" alone is standard input and "-3" a number.
    const bool is_flag = flag.starts_with('-') && flag.size() > 1 &&
                         !std::isdigit(static_cast<unsigned char>(flag[1]));
    if (is_flag && std::find(flags.begin(), flags.end(), flag) == flags.end()) return flag;
  }
  return "";
}

std::string explain(const CLI::App& parser, std::span<const std::string> arguments,
                    const CLI::ParseError& failure) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  const std::vector<std::string_view> flags(names.begin(), names.end());
  const std::string_view flag = unknown_flag(arguments, flags);
  if (flag.empty()) return failure.what();
  return fmt::format("there is no flag {}; {}", flag, suggestion(flag, flags));
}

}  // namespace

std::optional<ExitCode> parse(CLI::App& parser, std::string_view command,
                              std::span<const std::string> arguments, const Console& console) {
  parser.name(fmt::format("slime {}", command));
  parser.formatter(std::make_shared<ReadableHelp>());
  // CLI11 takes the last argument first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    parser.parse(std::move(reversed));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    console.out << parser.help();
    return ExitCode::ok;
  } catch (const CLI::ParseError& failure) {
    const Error error{Errc::invalid_argument,
                      fmt::format("{} (slime {} --help tells what it takes)",
                                  explain(parser, arguments, failure), command)};
    const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    return report(console, command, error, json);
  }
}

}  // namespace slime::tools

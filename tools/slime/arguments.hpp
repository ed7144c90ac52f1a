#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// Parses the arguments of one command into the variables bound to `parser`. A value means that
/// the command is over: help was asked for and printed (ok), or the arguments were wrong and the
/// reason went to `err` in one line, with the nearest flag (usage).
std::optional<ExitCode> parse(CLI::App& parser, std::string_view command,
                              std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// One command of `slime`. A new one is a file of its own and a line in commands.cpp.
struct Command {
  std::string_view name;     ///< As typed, one or two words: "config show".
  std::string_view usage;    ///< What follows the name.
  std::string_view purpose;  ///< In a few words, for the list of commands.
  ExitCode (*run)(std::span<const std::string> arguments, const Console& console);
};

/// Every command, in the order in which help lists them.
std::span<const Command> commands();

/// Runs the command that `arguments` (without the program's name) begin with. `--help`, `--version`
/// and unknown words are answered here.
ExitCode run_command(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools

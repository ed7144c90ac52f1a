#pragma once

#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// Variables of the process's environment, by name; only `main` reads the real one.
using Environment = std::map<std::string, std::string>;

/// What a command may touch of the terminal it runs in. Members outlive the command.
struct Console {
  std::ostream& out;  ///< Data, for pipes and scripts.
  std::ostream& err;  ///< Text for people: progress, and one line for each error.
  const Environment& environment;
};

/// `text` without control characters, each of which becomes a space: a message is one line,
/// whatever stood in the file name that it quotes.
std::string one_line(std::string_view text);

/// Says on `err`, in one line, why `command` failed; with `json` also on `out` as
/// {"ok":false,"error":"not_found","exit_code":4,"message":…}. Returns the exit code.
ExitCode report(const Console& console, std::string_view command, const Error& error, bool json);

/// The same for an end that is no error of an operation. @param word  Its name for scripts.
ExitCode report(const Console& console, std::string_view command, ExitCode code,
                std::string_view word, std::string_view message, bool json);

}  // namespace slime::tools

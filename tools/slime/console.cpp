#include "tools/slime/console.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/slime/json_text.hpp"

namespace slime::tools {

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(),
      [](char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }, ' ');
  return line;
}

ExitCode report(const Console& console, std::string_view command, const Error& error, bool json) {
  return report(console, command, exit_code(error.code), to_string(error.code), error.context,
                json);
}

ExitCode report(const Console& console, std::string_view command, ExitCode code,
                std::string_view word, std::string_view message, bool json) {
  if (json)
    console.out << JsonObject()
                       .boolean("ok", false)
                       .text("error", word)
                       .number("exit_code", static_cast<int>(code))
                       .text("message", message)
                       .str()
                << '\n';
  console.err << one_line(fmt::format("slime {}: {}", command, message)) << '\n';
  return code;
}

}  // namespace slime::tools

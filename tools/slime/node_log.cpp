#include "tools/slime/node_log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "runtime/base/clock.hpp"
#include "runtime/base/utc_time.hpp"
#include "tools/slime/console.hpp"

namespace slime::tools {

namespace {

constexpr std::array<std::string_view, 4> names{"debug", "info", "warning", "error"};

}  // namespace

std::string_view to_string(LogLevel level) {
  return names[static_cast<std::size_t>(level)];
}

std::optional<LogLevel> log_level(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<LogLevel>(i);
  return std::nullopt;
}

std::string log_line(LogLevel level, std::string_view text, std::int64_t at_us) {
  return fmt::format("{}.{:03}Z {} {}", utc_text(at_us, "%Y-%m-%dT%H:%M:%S"), at_us / 1000 % 1000,
                     to_string(level), one_line(text));
}

NodeLog log_to(int descriptor, LogLevel least) {
  return [descriptor, least](LogLevel level, const std::string& text) {
    if (level < least) return;
    const std::string line = log_line(level, text, wall_clock_us()) + "\n";
    // One call, so that lines of several threads do not mix. A log that cannot be written has
    // nowhere to say so.
    [[maybe_unused]] const auto written = ::write(descriptor, line.data(), line.size());
  };
}

}  // namespace slime::tools

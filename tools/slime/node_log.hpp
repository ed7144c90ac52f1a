#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/log_level.hpp"

namespace slime::tools {

/// What a node calls with each thing that is worth a line. Any thread.
using NodeLog = std::function<void(LogLevel, std::string)>;

/// "debug", "info", "warning" or "error".
std::string_view to_string(LogLevel level);
/// The level of that name; none when there is none.
std::optional<LogLevel> log_level(std::string_view name);

/// "2026-05-01T10:00:00.123Z warning text", without a line end. @param at_us  Since 1970.
std::string log_line(LogLevel level, std::string_view text, std::int64_t at_us);

/// A log that writes whole lines to `descriptor`, which must stay open; less important ones than
/// `least` are left out. May wait for the descriptor's reader.
NodeLog log_to(int descriptor, LogLevel least);

}  // namespace slime::tools

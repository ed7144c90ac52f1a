#pragma once

#include <cstdint>

namespace slime {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

}  // namespace slime

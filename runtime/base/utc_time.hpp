#pragma once

#include <cstdint>
#include <string>

namespace slime {

/// A moment in UTC, for people and for names of files. Years 1970 to 9999; what lies beyond is
/// written as the nearest of these.
/// @param us    Microseconds since 1970, see `wall_clock_us`.
/// @param form  As for `strftime`.
std::string utc_text(std::int64_t us, const char* form = "%Y-%m-%d %H:%M:%S UTC");

}  // namespace slime

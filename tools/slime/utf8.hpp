#pragma once

#include <cstddef>
#include <string_view>

namespace slime::tools {

/// Bytes of the UTF-8 sequence at the front of `text`; 0 when there is no valid one (Unicode 15,
/// table 3-7). Precondition: `text` is not empty.
std::size_t utf8_length(std::string_view text);

/// What stands in for a byte that is no UTF-8: U+FFFD.
inline constexpr std::string_view utf8_replacement = "\xef\xbf\xbd";

}  // namespace slime::tools

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slime::tools {

/// Bytes of the UTF-8 sequence at the front of `text`; 0 when there is no valid one (Unicode 15,
/// table 3-7). Precondition: `text` is not empty.
std::size_t utf8_length(std::string_view text);

/// Bytes of `text` before the first one that is no UTF-8; all of them when there is none.
std::size_t utf8_prefix(std::string_view text);

/// What stands in for a byte that is no UTF-8: U+FFFD.
inline constexpr std::string_view utf8_replacement = "\xef\xbf\xbd";

/// `text` with that in place of each byte that is no UTF-8.
std::string utf8_text(std::string_view text);

}  // namespace slime::tools

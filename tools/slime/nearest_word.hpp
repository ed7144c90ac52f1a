#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace slime::tools {

/// Edits that turn `from` into `to`: insertions, deletions, substitutions and swaps of neighbours,
/// one each (optimal string alignment, Damerau 1964).
std::size_t edit_distance(std::string_view from, std::string_view to);

/// The one of `words` nearest to `word` by `edit_distance`, the first of equals; none when every
/// one differs in more than a third of its letters and in more than two, because a far-fetched
/// guess misleads.
std::optional<std::string_view> nearest_word(std::string_view word,
                                             std::span<const std::string_view> words);

/// `did you mean "bsp"?`, or `known are bsp, a_dsp` when none is near.
std::string suggestion(std::string_view word, std::span<const std::string_view> words);

}  // namespace slime::tools

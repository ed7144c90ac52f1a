#include "tools/slime/nearest_word.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace slime::tools {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Three rows of the table are alive: a swap looks two rows back.
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(to.size() + 1);
  std::iota(rows[0].begin(), rows[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t substitution = above[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
    }
  }
  return rows[from.size() % 3][to.size()];
}

std::optional<std::string_view> nearest_word(std::string_view word,
                                             std::span<const std::string_view> words) {
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : words) {
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t allowed = std::max<std::size_t>(2, candidate.size() / 3);
    // A word all of whose letters change has nothing in common with the candidate.
    if (distance > allowed || distance >= std::max(word.size(), candidate.size())) continue;
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> words) {
  if (const auto nearest = nearest_word(word, words))
    return fmt::format("did you mean \"{}\"?", *nearest);
  return fmt::format("known are {}", fmt::join(words, ", "));
}

}  // namespace slime::tools

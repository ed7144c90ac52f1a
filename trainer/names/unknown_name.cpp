#include "trainer/names/unknown_name.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace slime::trainer {

namespace {

/// Levenshtein distance: insertions, deletions and substitutions between the words.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

Error unknown_name(std::string_view what, std::string_view name,
                   std::span<const std::string_view> known) {
  std::string context =
      "there is no " + std::string(what) + " \"" + std::string(name) + "\"; known:";
  std::string_view nearest;
  // More than a third of the letters wrong is another word, not a slip.
  std::size_t edits_allowed = std::max<std::size_t>(1, name.size() / 3);
  for (std::string_view candidate : known) {
    context.append(" ").append(candidate);
    const std::size_t edits = edits_between(name, candidate);
    if (edits > edits_allowed || (edits == edits_allowed && !nearest.empty())) continue;
    nearest = candidate;
    edits_allowed = edits;
  }
  if (!nearest.empty()) context += "; did you mean \"" + std::string(nearest) + "\"?";
  return Error{Errc::invalid_argument, std::move(context)};
}

}  // namespace slime::trainer

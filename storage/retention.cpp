#include "storage/retention.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace slime::storage {

namespace {

/// Positions in the list of candidates, ascending by id.
using Positions = std::vector<std::size_t>;

void keep_newest(const Positions& whole, std::uint64_t count, std::vector<KeptBecause>& kept) {
  const std::uint64_t some =
      std::min<std::uint64_t>(std::max<std::uint64_t>(count, 1), whole.size());
  for (std::size_t i = whole.size() - some; i < whole.size(); ++i) kept[whole[i]].newest = true;
}

void keep_best(std::span<const RetentionCandidate> candidates, const Positions& whole,
               std::uint64_t count, std::vector<KeptBecause>& kept) {
  Positions measured;
  std::ranges::copy_if(whole.rbegin(), whole.rend(), std::back_inserter(measured),
                       [&](std::size_t i) { return std::isfinite(candidates[i].accuracy); });
  // Newer ones come first, and stay before their equals.
  std::ranges::stable_sort(measured, std::ranges::greater(),
                           [&](std::size_t i) { return candidates[i].accuracy; });
  measured.resize(std::min<std::uint64_t>(count, measured.size()));
  for (const std::size_t i : measured) kept[i].best = true;
}

void keep_every(std::span<const RetentionCandidate> candidates, const Positions& whole,
                std::uint64_t every, std::vector<KeptBecause>& kept) {
  std::map<std::uint64_t, std::size_t> first;  // Of each multiple.
  for (const std::size_t i : whole) {
    const std::uint64_t iteration = candidates[i].id.iteration;
    if (iteration < every) continue;
    const auto [at, is_new] = first.emplace(iteration / every, i);
    if (!is_new && iteration <= candidates[at->second].id.iteration) at->second = i;
  }
  for (const auto& [multiple, i] : first) kept[i].every = true;
}

}  // namespace

std::vector<KeptBecause> decide_retention(std::span<const RetentionCandidate> candidates,
                                          const RetentionRules& rules) {
  std::vector<KeptBecause> kept(candidates.size());
  Positions whole;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    kept[i].pinned = candidates[i].pinned;
    if (!candidates[i].damaged) whole.push_back(i);
  }
  keep_newest(whole, rules.newest, kept);
  keep_best(candidates, whole, rules.best, kept);
  if (rules.every > 0) keep_every(candidates, whole, rules.every, kept);
  return kept;
}

}  // namespace slime::storage

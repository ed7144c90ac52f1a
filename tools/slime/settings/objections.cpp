#include "tools/slime/settings/objections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/slime/nearest_word.hpp"

namespace slime::tools {

Error Objections::broken(std::string_view setting, std::string_view why) const {
  const auto found = origins_.find(setting);
  const std::string place = found == origins_.end() ? "" : position(found->second) + ": ";
  return {Errc::invalid_argument, fmt::format("{}{}: {}", place, setting, why)};
}

Status Objections::known_word(std::string_view setting, std::string_view word,
                              std::span<const std::string_view> words) const {
  if (std::ranges::find(words, word) != words.end()) return ok();
  return broken(setting, fmt::format("\"{}\" is unknown; {}", word, suggestion(word, words)));
}

}  // namespace slime::tools

#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace slime::trainer {

/// The names in an explicit list, in its order. Entries are structs with a `name`.
template <class Entry, std::size_t size>
constexpr std::array<std::string_view, size> names_of(const std::array<Entry, size>& list) {
  std::array<std::string_view, size> names;
  for (std::size_t i = 0; i < size; ++i) names[i] = list[i].name;
  return names;
}

/// The entry of that name, or null.
template <class Entry, std::size_t size>
constexpr const Entry* find_named(const std::array<Entry, size>& list, std::string_view name) {
  for (const Entry& entry : list)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace slime::trainer

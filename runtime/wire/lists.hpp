#pragma once

#include <vector>

namespace slime::runtime {

/// A Cap'n Proto list of numbers as a vector: its iterators are not the standard's.
template <class T, class List>
std::vector<T> to_vector(const List& list) {
  std::vector<T> values;
  values.reserve(list.size());
  for (const auto value : list) values.push_back(static_cast<T>(value));
  return values;
}

}  // namespace slime::runtime

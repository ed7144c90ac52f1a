#include "trainer/model/layers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "trainer/model/dense_layer.hpp"
#include "trainer/names/named_list.hpp"
#include "trainer/names/unknown_name.hpp"

namespace slime::trainer {

namespace {

using Words = std::span<const std::string_view>;

struct Entry : LayerKind {
  Result<std::unique_ptr<Layer>> (*make)(Words arguments, std::size_t inputs);
};

constexpr std::array entries{
    Entry{{"dense", "dense OUTPUTS [relu]", "dense 512 relu"}, make_dense_layer},
};
constexpr auto names = names_of(entries);
constexpr auto kinds = [] {
  std::array<LayerKind, entries.size()> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = entries[i];
  return all;
}();

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(" \t"); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(" \t", end);
  }
  return words;
}

}  // namespace

std::span<const LayerKind> layer_kinds() {
  return kinds;
}

Result<std::unique_ptr<Layer>> make_layer(std::string_view entry, std::size_t inputs) {
  const std::vector<std::string_view> words = split(entry);
  const std::string_view name = words.empty() ? std::string_view() : words.front();
  const Entry* kind = find_named(entries, name);
  if (kind == nullptr) return unknown_name("layer", name, names);
  auto layer = kind->make(Words(words).subspan(1), inputs);
  if (layer) return layer;
  return Error{layer.error().code, layer.error().context + "; write " + std::string(kind->usage) +
                                       ", such as \"" + std::string(kind->example) + "\""};
}

}  // namespace slime::trainer

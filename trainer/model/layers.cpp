#include "trainer/model/layers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "trainer/model/dense_layer.hpp"
#include "trainer/names/unknown_name.hpp"

namespace slime::trainer {

namespace {

using Words = std::span<const std::string_view>;

constexpr std::array kinds{
    LayerKind{"dense", "dense OUTPUTS [relu]", "dense 512 relu"},
};
constexpr std::array<Result<std::unique_ptr<Layer>> (*)(Words arguments, std::size_t inputs),
                     kinds.size()>
    makers{make_dense_layer};

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
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [name](const LayerKind& kind) { return kind.name == name; });
  if (found == kinds.end()) {
    std::vector<std::string_view> known;
    for (const LayerKind& kind : kinds) known.push_back(kind.name);
    return unknown_name("layer", name, known);
  }
  const auto make = makers[static_cast<std::size_t>(found - kinds.begin())];
  auto layer = make(Words(words).subspan(1), inputs);
  if (layer) return layer;
  return Error{layer.error().code, layer.error().context + "; write " + std::string(found->usage) +
                                       ", such as \"" + std::string(found->example) + "\""};
}

}  // namespace slime::trainer

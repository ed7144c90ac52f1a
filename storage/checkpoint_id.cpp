#include "storage/checkpoint_id.hpp"

#include <charconv>
#include <cstdio>

namespace slime::storage {

namespace {

constexpr std::size_t digits = 16;

std::optional<std::uint64_t> parse(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != digits || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

}  // namespace

std::string to_string(CheckpointId id) {
  return "iteration " + std::to_string(id.iteration) + " (term " + std::to_string(id.term) + ")";
}

std::string hexadecimal(std::uint64_t value) {
  char text[digits + 1];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string manifest_key(CheckpointId id) {
  return std::string(manifest_prefix) + hexadecimal(id.term) + "/" + hexadecimal(id.iteration);
}

std::string part_key(CheckpointId id, std::uint64_t first, std::uint64_t segment) {
  return std::string(part_prefix) + hexadecimal(id.term) + "/" + hexadecimal(id.iteration) + "/" +
         hexadecimal(first) + "/" + hexadecimal(segment);
}

std::optional<CheckpointId> checkpoint_of(std::string_view key) {
  for (std::string_view prefix : {manifest_prefix, part_prefix}) {
    if (!key.starts_with(prefix)) continue;
    key.remove_prefix(prefix.size());
    if (key.size() < 2 * digits + 1 || key[digits] != '/') return std::nullopt;
    const auto term = parse(key.substr(0, digits));
    const auto iteration = parse(key.substr(digits + 1, digits));
    if (!term || !iteration) return std::nullopt;
    return CheckpointId{*term, *iteration};
  }
  return std::nullopt;
}

}  // namespace slime::storage

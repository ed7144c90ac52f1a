#include "tools/slime/exchange/tensor_listing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/slime/nearest_word.hpp"
#include "tools/slime/utf8.hpp"

namespace slime::tools {

namespace {

// Far above any model, and low enough that no number of bytes made of it overflows.
constexpr std::uint64_t numbers_max = std::uint64_t{1} << 48;
constexpr std::size_t names_compared_max = 256;
constexpr std::size_t names_listed_max = 6;

Error damaged(const std::string& why) {
  return {Errc::corruption, why};
}

bool is_text(std::string_view name) {
  const auto is_control = [](char letter) {
    return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
  };
  return utf8_prefix(name) == name.size() && std::ranges::none_of(name, is_control);
}

}  // namespace

std::optional<std::uint64_t> numbers_in(std::span<const std::uint64_t> shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && count > numbers_max / extent) return std::nullopt;
    count *= extent;
  }
  return count;
}

Status TensorListing::add(FileTensor tensor) {
  const std::string& name = tensor.name;
  if (tensors_.size() == tensors_max)
    return damaged(fmt::format("it names more than {} tensors", tensors_max));
  if (name.size() > name_bytes_max)
    return damaged(
        fmt::format("a tensor's name has {} bytes; {} are allowed", name.size(), name_bytes_max));
  if (name.empty() || !is_text(name))
    return damaged(fmt::format("tensor {} has a name that is no text", tensors_.size() + 1));
  if (tensor.shape.size() > dimensions_max || !numbers_in(tensor.shape))
    return damaged(fmt::format("tensor \"{}\" has an impossible shape", name));
  if (!names_.insert(name).second)
    return damaged(fmt::format("it names tensor \"{}\" twice", name));
  tensors_.push_back(std::move(tensor));
  return ok();
}

std::string tensor_advice(std::string_view name, std::span<const std::string> names) {
  const auto compared = names.first(std::min(names.size(), names_compared_max));
  const std::vector<std::string_view> words(compared.begin(), compared.end());
  if (const auto nearest = nearest_word(name, words))
    return fmt::format("did you mean \"{}\"?", *nearest);
  if (names.empty()) return "there is none";
  const auto listed = names.first(std::min(names.size(), names_listed_max));
  std::string text = fmt::format("there are {}", fmt::join(listed, ", "));
  if (names.size() > listed.size())
    text += fmt::format(" and {} more", names.size() - listed.size());
  return text;
}

}  // namespace slime::tools

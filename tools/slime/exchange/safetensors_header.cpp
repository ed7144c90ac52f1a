#include "tools/slime/exchange/safetensors_header.hpp"

#include <capnp/compat/json.h>
#include <capnp/message.h>
#include <fmt/format.h>
#include <kj/exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tools/slime/exchange/tensor_listing.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view metadata_name = "__metadata__";
constexpr std::size_t alignment = 8;
constexpr double exact_number_max = 9007199254740992;  // 2^53: JSON's numbers are doubles.

struct KnownType {
  std::string_view name;
  std::uint64_t bytes;
  std::optional<NumberFormat> format;
};

constexpr std::array<KnownType, 13> types{{
    {"F32", 4, NumberFormat::float32},
    {"F16", 2, NumberFormat::float16},
    {"BF16", 2, NumberFormat::bfloat16},
    {"F64", 8, NumberFormat::float64},
    {"BOOL", 1, std::nullopt},
    {"U8", 1, std::nullopt},
    {"I8", 1, std::nullopt},
    {"U16", 2, std::nullopt},
    {"I16", 2, std::nullopt},
    {"U32", 4, std::nullopt},
    {"I32", 4, std::nullopt},
    {"U64", 8, std::nullopt},
    {"I64", 8, std::nullopt},
}};

using Json = capnp::JsonValue::Reader;
using JsonList = capnp::List<capnp::JsonValue>::Reader;

Error damaged(const std::string& why) {
  return {Errc::corruption, "its header is not that of a safetensors file: " + why};
}

std::string_view view(capnp::Text::Reader text) {
  return {text.begin(), text.size()};
}

std::optional<std::uint64_t> whole_number(Json value) {
  if (!value.isNumber()) return std::nullopt;
  const double number = value.getNumber();
  if (!(number >= 0 && number <= exact_number_max) || number != std::floor(number))
    return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

std::optional<std::vector<std::uint64_t>> whole_numbers(Json value, unsigned length_max) {
  if (!value.isArray() || value.getArray().size() > length_max) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const Json element : value.getArray()) {
    const auto number = whole_number(element);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// The three fields of a tensor, each exactly once; nothing when it has others.
struct Fields {
  static std::optional<Fields> of(Json value) {
    if (!value.isObject() || value.getObject().size() != 3) return std::nullopt;
    Fields fields;
    for (const auto field : value.getObject()) {
      const std::string_view name = view(field.getName());
      if (name == "dtype" && field.getValue().isString())
        fields.type = view(field.getValue().getString());
      else if (name == "shape")
        fields.shape = whole_numbers(field.getValue(), TensorListing::dimensions_max);
      else if (name == "data_offsets")
        fields.offsets = whole_numbers(field.getValue(), 2);
    }
    const bool whole = fields.type && fields.shape && fields.offsets && fields.offsets->size() == 2;
    return whole ? std::optional(fields) : std::nullopt;
  }

  std::optional<std::string_view> type;
  std::optional<std::vector<std::uint64_t>> shape;
  std::optional<std::vector<std::uint64_t>> offsets;
};

/// Checks what one tensor says of itself; how it lies beside the others is checked later.
Status add(TensorListing& listing, std::vector<SafetensorsPlace>& places, std::string_view name,
           const Fields& fields) {
  const auto type = std::ranges::find(types, *fields.type, &KnownType::name);
  const bool known = type != types.end();
  SafetensorsPlace place{known ? type->format : std::nullopt, fields.offsets->front(),
                         fields.offsets->back()};
  std::string objection;
  if (!place.format)
    objection = fmt::format("its numbers are of type {}; F32, F16, BF16 and F64 can be taken",
                            json_quote(fields.type->substr(0, 32)));
  if (Status added = listing.add({std::string(name), *fields.shape, objection}); !added)
    return damaged(added.error().context);
  const std::uint64_t numbers = *numbers_in(*fields.shape);
  if (place.end < place.first || (known && place.end - place.first != numbers * type->bytes))
    return damaged(fmt::format("tensor \"{}\" of shape {} and type {} cannot lie in bytes {} to {}",
                               name, trainer::shape_text(*fields.shape),
                               json_quote(fields.type->substr(0, 32)), place.first, place.end));
  places.push_back(place);
  return ok();
}

Status check_places(std::span<const FileTensor> tensors, std::span<const SafetensorsPlace> places,
                    std::uint64_t data_bytes) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {},
                    [&places](std::size_t i) { return std::pair(places[i].first, places[i].end); });
  std::uint64_t filled = 0;
  for (const std::size_t i : order) {
    if (places[i].first != filled)
      return damaged(fmt::format("tensor \"{}\" begins at byte {} of the data, where {} is due",
                                 tensors[i].name, places[i].first, filled));
    filled = places[i].end;
  }
  if (filled == data_bytes) return ok();
  return damaged(fmt::format("its tensors fill {} bytes, and {} follow it", filled, data_bytes));
}

Result<SafetensorsHeader> read_object(Json root, std::uint64_t data_bytes) {
  if (!root.isObject()) return damaged("it is no JSON object");
  TensorListing listing;
  SafetensorsHeader header;
  bool has_metadata = false;
  for (const auto field : root.getObject()) {
    const std::string_view name = view(field.getName());
    if (name == metadata_name) {
      if (has_metadata) return damaged("it has metadata twice");
      has_metadata = true;
      continue;
    }
    const auto fields = Fields::of(field.getValue());
    if (!fields)
      return damaged(
          fmt::format("tensor {} is not given by \"dtype\", \"shape\" and "
                      "\"data_offsets\"",
                      json_quote(name.substr(0, TensorListing::name_bytes_max))));
    if (Status added = add(listing, header.places, name, *fields); !added) return added.error();
  }
  header.tensors.assign(listing.tensors().begin(), listing.tensors().end());
  if (Status lie = check_places(header.tensors, header.places, data_bytes); !lie)
    return lie.error();
  return header;
}

}  // namespace

std::string safetensors_header(std::span<const trainer::TensorInfo> tensors,
                               const FileMetadata& metadata) {
  JsonObject said;
  for (const auto& [name, text] : metadata) said.text(name, text);
  JsonObject root;
  root.raw(metadata_name, said.str());
  std::uint64_t at = 0;
  for (const trainer::TensorInfo& tensor : tensors) {
    const std::uint64_t end = at + tensor.count * sizeof(float);
    root.raw(tensor.name, fmt::format(R"({{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}})",
                                      fmt::join(tensor.shape, ","), at, end));
    at = end;
  }
  std::string json = root.str();
  json.append((alignment - json.size() % alignment) % alignment, ' ');
  std::string length;
  for (std::size_t i = 0; i < safetensors_length_bytes; ++i)
    length += static_cast<char>(std::uint64_t{json.size()} >> 8 * i & 0xff);
  return length + json;
}

Result<SafetensorsHeader> read_safetensors_header(std::string_view json, std::uint64_t data_bytes) {
  try {
    capnp::MallocMessageBuilder message;
    const auto root = message.initRoot<capnp::JsonValue>();
    capnp::JsonCodec().decodeRaw(kj::arrayPtr(json.data(), json.size()), root);
    return read_object(root.asReader(), data_bytes);
  } catch (const kj::Exception& exception) {
    return damaged(exception.getDescription().cStr());
  }
}

}  // namespace slime::tools

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/number_format.hpp"
#include "tools/slime/exchange/tensor_file.hpp"
#include "trainer/model/tensors.hpp"

namespace slime::tools {

/// The format: the header's length in 8 bytes, little-endian; the header, a JSON object; the data.
inline constexpr std::size_t safetensors_length_bytes = 8;

/// A header longer than this is refused; it is enough for more than ten thousand tensors.
inline constexpr std::size_t safetensors_header_bytes_max = 4U << 20;

/// Where a tensor's bytes lie, counted from the end of the header.
struct SafetensorsPlace {
  std::optional<NumberFormat> format;  ///< Nothing: there is an objection to the tensor.
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<FileTensor> tensors;
  std::vector<SafetensorsPlace> places;  ///< One for each tensor.
};

/// Length and header of a file that holds `tensors` as float32, one behind the other; the data
/// begins at a multiple of 8 bytes.
std::string safetensors_header(std::span<const trainer::TensorInfo> tensors,
                               const FileMetadata& metadata);

/// Reads a header, without its length. Trusts nothing: the tensors fill `data_bytes` without gaps
/// and without sharing a byte. Errors: corruption (the context does not name the file).
Result<SafetensorsHeader> read_safetensors_header(std::string_view json, std::uint64_t data_bytes);

}  // namespace slime::tools

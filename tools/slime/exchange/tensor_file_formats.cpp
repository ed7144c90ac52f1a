#include "tools/slime/exchange/tensor_file_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tools/slime/exchange/npz_reader.hpp"
#include "tools/slime/exchange/npz_writer.hpp"
#include "tools/slime/exchange/safetensors_reader.hpp"
#include "tools/slime/exchange/safetensors_writer.hpp"
#include "tools/slime/nearest_word.hpp"

namespace slime::tools {

namespace {

constexpr std::array formats{
    TensorFileFormat{"safetensors", ".safetensors", read_safetensors, write_safetensors},
    TensorFileFormat{"npz", ".npz", read_npz, write_npz},
};

}  // namespace

std::span<const TensorFileFormat> tensor_file_formats() {
  return formats;
}

Result<const TensorFileFormat*> tensor_file_format(const std::filesystem::path& path) {
  const std::string extension = path.extension();
  const auto found = std::ranges::find(formats, extension, &TensorFileFormat::extension);
  if (found != formats.end()) return &*found;
  std::vector<std::string_view> known;
  for (const TensorFileFormat& format : formats) known.push_back(format.extension);
  return Error{Errc::invalid_argument,
               fmt::format("{}: a file of tensors is known by its extension; {}", path.string(),
                           suggestion(extension, known))};
}

}  // namespace slime::tools

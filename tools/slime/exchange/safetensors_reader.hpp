#pragma once

#include <filesystem>
#include <memory>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/tensor_file.hpp"

namespace slime::tools {

/// Opens a safetensors file. Its numbers are not protected by any checksum. Blocks on the disk.
/// Errors: not_found, corruption, io_error.
Result<std::unique_ptr<TensorFileReader>> read_safetensors(const std::filesystem::path& path);

}  // namespace slime::tools

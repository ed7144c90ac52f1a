#pragma once

#include <filesystem>
#include <memory>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/tensor_file.hpp"

namespace slime::tools {

/// Opens a .npz file, as numpy.savez and numpy.savez_compressed write it. The checksum of an array
/// is verified with its last number. Blocks on the disk. Errors: not_found, corruption (also when
/// there is no array in it), io_error.
Result<std::unique_ptr<TensorFileReader>> read_npz(const std::filesystem::path& path);

}  // namespace slime::tools

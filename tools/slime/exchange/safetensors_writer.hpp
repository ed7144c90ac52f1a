#pragma once

#include <memory>
#include <span>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/new_file.hpp"
#include "tools/slime/exchange/tensor_file.hpp"
#include "trainer/model/tensors.hpp"

namespace slime::tools {

/// Begins a safetensors file of `tensors`, in their order. `file` must outlive the writer, which
/// does not commit it. Errors: io_error.
Result<std::unique_ptr<TensorFileWriter>> write_safetensors(
    NewFile& file, std::span<const trainer::TensorInfo> tensors, const FileMetadata& metadata);

}  // namespace slime::tools

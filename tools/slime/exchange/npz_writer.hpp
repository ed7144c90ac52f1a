#pragma once

#include <memory>
#include <span>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/new_file.hpp"
#include "tools/slime/exchange/tensor_file.hpp"
#include "trainer/model/tensors.hpp"

namespace slime::tools {

/// Begins a .npz file of `tensors`, in their order: a zip archive that has a stored .npy array for
/// each, as numpy.savez writes it, and the metadata as its comment, a JSON object. Equal contents
/// give equal bytes. `file` must outlive the writer, which does not commit it. Errors: io_error.
Result<std::unique_ptr<TensorFileWriter>> write_npz(NewFile& file,
                                                    std::span<const trainer::TensorInfo> tensors,
                                                    const FileMetadata& metadata);

}  // namespace slime::tools

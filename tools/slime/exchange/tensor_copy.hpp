#pragma once

#include <functional>
#include <span>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_reader.hpp"
#include "tools/slime/exchange/exchanged_tensors.hpp"
#include "tools/slime/exchange/tensor_file.hpp"

namespace slime::tools {

/// Writes the numbers of `tensors` from a checkpoint to a file that was begun for them, block by
/// block; every block is verified. `stop` is asked between blocks. False: it said so, and the file
/// is not whole. Blocks on the disk. Errors: corruption, io_error.
Result<bool> copy_tensors(const storage::CheckpointReader& checkpoint,
                          std::span<const CheckpointTensor> tensors, TensorFileWriter& file,
                          const std::function<bool()>& stop);

}  // namespace slime::tools

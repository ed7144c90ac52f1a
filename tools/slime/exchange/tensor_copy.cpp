#include "tools/slime/exchange/tensor_copy.hpp"

#include <algorithm>
#include <vector>

#include "storage/part_record.hpp"

namespace slime::tools {

Result<bool> copy_tensors(const storage::CheckpointReader& checkpoint,
                          std::span<const CheckpointTensor> tensors, TensorFileWriter& file,
                          const std::function<bool()>& stop) {
  std::vector<float> block(storage::block_parameters);
  for (const CheckpointTensor& tensor : tensors) {
    if (Status begun = file.begin(); !begun) return begun.error();
    const std::uint64_t end = tensor.info.first + tensor.info.count;
    // Up to where blocks end, so that each is read once for each tensor that is in it.
    for (std::uint64_t at = tensor.info.first; at < end;) {
      if (stop()) return false;
      const std::uint64_t next = (at / storage::block_parameters + 1) * storage::block_parameters;
      const auto numbers = std::span(block).first(std::min(end, next) - at);
      if (Status got = checkpoint.read_plane(tensor.plane, at, numbers); !got) return got.error();
      if (Status wrote = file.write(numbers); !wrote) return wrote.error();
      at += numbers.size();
    }
  }
  if (Status finished = file.finish(); !finished) return finished.error();
  return true;
}

}  // namespace slime::tools

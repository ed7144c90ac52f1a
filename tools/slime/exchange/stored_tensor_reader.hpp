#pragma once

#include <span>
#include <vector>

#include "storage/checkpoint_reader.hpp"
#include "tools/slime/exchange/exchanged_tensors.hpp"
#include "tools/slime/exchange/tensor_file.hpp"

namespace slime::tools {

/// A checkpoint's tensors, read as those of a file. Every block is verified as it is read.
class StoredTensorReader final : public TensorFileReader {
 public:
  /// @param tensors  Those of `reader`'s checkpoint, or some of them; it has all their parameters.
  StoredTensorReader(storage::CheckpointReader reader, std::vector<CheckpointTensor> tensors);

  std::span<const FileTensor> tensors() const override { return listed_; }
  Result<std::unique_ptr<NumberStream>> open(std::size_t index) const override;

 private:
  storage::CheckpointReader reader_;
  std::vector<CheckpointTensor> tensors_;
  std::vector<FileTensor> listed_;
};

}  // namespace slime::tools

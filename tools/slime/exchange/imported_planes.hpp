#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/exchanged_tensors.hpp"
#include "tools/slime/exchange/tensor_file.hpp"

namespace slime::tools {

/// A tensor of the model that is made, and which one of the file gives its numbers.
struct ImportedTensor {
  CheckpointTensor tensor;
  std::optional<std::size_t> source;  ///< Nothing: it begins as a new job's does.
};

/// Writes the values that a new job has for its parameters from `first` on.
using InitialValues = std::function<void(std::uint64_t first, std::span<float> out)>;

/// The parameters of a model and its optimizer slots as an import gives them, front to back.
/// Confined to one thread at a time; waits for the disk. What it is made from must outlive it.
class ImportedPlanes {
 public:
  /// @param tensors  As `checkpoint_tensors` orders them.
  ImportedPlanes(const TensorFileReader& file, std::span<const ImportedTensor> tensors,
                 const InitialValues& initial);

  std::size_t planes() const { return planes_.size(); }
  /// Fills `out` with the next numbers of plane `index`. Precondition: it has that many more.
  /// Errors: corruption (a number that is not finite as float32, and whatever the file's are),
  /// io_error.
  Status read(std::size_t index, std::span<float> out);

 private:
  struct Plane {
    std::vector<const ImportedTensor*> tensors;
    std::size_t at = 0;      ///< The tensor that is next read from.
    std::uint64_t done = 0;  ///< Numbers of it that were read.
    std::unique_ptr<NumberStream> stream;
  };

  Status read_piece(Plane& plane, std::span<float> out);

  const TensorFileReader& file_;
  const InitialValues& initial_;
  std::vector<Plane> planes_;
};

}  // namespace slime::tools

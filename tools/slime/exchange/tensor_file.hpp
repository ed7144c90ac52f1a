#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// A tensor in a file that other programs read and write.
struct FileTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::string objection;  ///< Why its numbers cannot be taken; empty: they can.
};

/// What a file says of its tensors as a whole: names and texts.
using FileMetadata = std::vector<std::pair<std::string, std::string>>;

/// The numbers of one tensor, in row-major order, converted to float32. Confined to one thread at a
/// time; waits for the disk.
class NumberStream {
 public:
  virtual ~NumberStream() = default;

  /// Fills `out` with the next numbers. With the last of them what the file has to verify them by
  /// is checked. Precondition: the tensor has that many more. Errors: corruption, io_error.
  virtual Status read(std::span<float> out) = 0;
};

/// A file of tensors that is read. Nothing in it is trusted; memory grows with the list of its
/// tensors, which is bounded, and never with what a number in it promises. Confined to one thread
/// at a time; waits for the disk.
class TensorFileReader {
 public:
  virtual ~TensorFileReader() = default;

  /// In the order of the file. Names are unique.
  virtual std::span<const FileTensor> tensors() const = 0;
  /// The numbers of tensor `index`, from the first. Several streams may be read in turn; none
  /// outlives this. Precondition: there is no objection to it. Errors: corruption, io_error.
  virtual Result<std::unique_ptr<NumberStream>> open(std::size_t index) const = 0;
};

/// A file of float32 tensors that is written, front to back. Confined to one thread at a time;
/// waits for the disk. The errors of all calls: io_error.
class TensorFileWriter {
 public:
  virtual ~TensorFileWriter() = default;

  /// Begins the next of the tensors that were announced. Precondition: all numbers of the one
  /// before were written.
  virtual Status begin() = 0;
  /// Appends numbers of that tensor, in row-major order.
  virtual Status write(std::span<const float> numbers) = 0;
  /// Ends the file. Precondition: all numbers of all tensors were written.
  virtual Status finish() = 0;
};

}  // namespace slime::tools

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "trainer/model/tensors.hpp"

namespace slime::tools {

/// How the values of one tensor differ between two checkpoints, A and B. Norms are Euclidean and
/// summed in double; one is NaN or infinite where a value is.
struct TensorDifference {
  trainer::TensorInfo tensor;
  std::uint64_t changed = 0;  ///< Values that differ in any bit; 0: the tensors are equal.
  double norm_a = 0;
  double norm_b = 0;
  double norm_change = 0;        ///< Of B - A.
  double max_change = 0;         ///< Largest |B - A| that is a number.
  std::uint64_t max_at = 0;      ///< Where that is first, in row-major order.
  std::uint64_t not_finite = 0;  ///< Values that are NaN or infinite in A, in B or in both.
};

struct CheckpointDifference {
  storage::CheckpointId a;
  storage::CheckpointId b;
  std::vector<TensorDifference> tensors;  ///< In model order.

  bool equal() const;
};

/// Compares the parameters of two checkpoints, a block of each in memory at a time; optimizer slots
/// are not compared. Blocks on the disk. Errors: invalid_argument (the models differ; the context
/// names the first tensor that does), corruption, io_error.
Result<CheckpointDifference> compare_checkpoints(const CheckpointChoice& a,
                                                 const CheckpointChoice& b);

std::string difference_text(const CheckpointDifference& difference);
/// One JSON object in one line.
std::string difference_json(const CheckpointDifference& difference);

}  // namespace slime::tools

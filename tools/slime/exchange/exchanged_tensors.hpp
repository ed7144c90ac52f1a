#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainer/model/tensors.hpp"

namespace slime::tools {

/// What of a checkpoint is exchanged under one name: the values of a tensor, or what the optimizer
/// remembers for them in one of its slots.
struct CheckpointTensor {
  trainer::TensorInfo info;  ///< Of the values "0.weight"; of slot 0 of these "0.weight.slot_0".
  std::uint32_t plane = 0;   ///< 0: values; 1 + i: slot i.
};

/// Values of all tensors in model order, then slot 0 of all, and so on.
std::vector<CheckpointTensor> checkpoint_tensors(std::span<const trainer::TensorInfo> tensors,
                                                 std::uint32_t slots);

/// Their names, in order.
std::vector<std::string> names_of(std::span<const CheckpointTensor> tensors);

}  // namespace slime::tools

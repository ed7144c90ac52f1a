#include "tools/slime/exchange/exchanged_tensors.hpp"

namespace slime::tools {

std::vector<CheckpointTensor> checkpoint_tensors(std::span<const trainer::TensorInfo> tensors,
                                                 std::uint32_t slots) {
  std::vector<CheckpointTensor> all;
  for (std::uint32_t plane = 0; plane <= slots; ++plane)
    for (const trainer::TensorInfo& tensor : tensors) {
      CheckpointTensor named{tensor, plane};
      if (plane > 0) named.info.name += ".slot_" + std::to_string(plane - 1);
      all.push_back(std::move(named));
    }
  return all;
}

std::vector<std::string> names_of(std::span<const CheckpointTensor> tensors) {
  std::vector<std::string> names;
  for (const CheckpointTensor& tensor : tensors) names.push_back(tensor.info.name);
  return names;
}

}  // namespace slime::tools

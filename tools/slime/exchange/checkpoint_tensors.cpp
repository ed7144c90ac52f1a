#include "tools/slime/exchange/checkpoint_tensors.hpp"

namespace slime::tools {

std::vector<trainer::TensorInfo> stored_tensors(const storage::Manifest& manifest) {
  std::vector<trainer::TensorInfo> tensors;
  manifest.read([&tensors](schema::CheckpointManifest::Reader read) {
    for (const auto stored : read.getTensors()) {
      trainer::TensorInfo info{stored.getName().cStr(), {}, stored.getOffset(), 1};
      for (const std::uint64_t extent : stored.getShape()) {
        info.shape.push_back(extent);
        info.count *= extent;
      }
      tensors.push_back(std::move(info));
    }
  });
  return tensors;
}

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

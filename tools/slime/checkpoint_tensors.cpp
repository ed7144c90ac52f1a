#include "tools/slime/checkpoint_tensors.hpp"

namespace slime::tools {

std::vector<trainer::TensorInfo> stored_tensors(const storage::Manifest& manifest) {
  std::vector<trainer::TensorInfo> tensors;
  manifest.read([&tensors](schema::CheckpointManifest::Reader root) {
    for (const auto stored : root.getTensors()) {
      trainer::TensorInfo tensor{stored.getName(), {}, stored.getOffset(), 1};
      for (const std::uint64_t extent : stored.getShape()) {
        tensor.shape.push_back(extent);
        tensor.count *= extent;
      }
      tensors.push_back(std::move(tensor));
    }
  });
  return tensors;
}

std::string index_text(std::span<const std::uint64_t> shape, std::uint64_t at) {
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    index[i] = at % shape[i];
    at /= shape[i];
  }
  return trainer::shape_text(index);
}

}  // namespace slime::tools

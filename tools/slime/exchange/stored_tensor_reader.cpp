#include "tools/slime/exchange/stored_tensor_reader.hpp"

#include <utility>

namespace slime::tools {

namespace {

class StoredStream final : public NumberStream {
 public:
  StoredStream(const storage::CheckpointReader& reader, const CheckpointTensor& tensor)
      : reader_(reader), plane_(tensor.plane), next_(tensor.info.first) {}

  Status read(std::span<float> out) override {
    if (Status got = reader_.read_plane(plane_, next_, out); !got) return got;
    next_ += out.size();
    return ok();
  }

 private:
  const storage::CheckpointReader& reader_;
  std::uint32_t plane_;
  std::uint64_t next_;  ///< Parameter.
};

}  // namespace

StoredTensorReader::StoredTensorReader(storage::CheckpointReader reader,
                                       std::vector<CheckpointTensor> tensors)
    : reader_(std::move(reader)), tensors_(std::move(tensors)) {
  for (const CheckpointTensor& tensor : tensors_)
    listed_.push_back({tensor.info.name, tensor.info.shape, ""});
}

Result<std::unique_ptr<NumberStream>> StoredTensorReader::open(std::size_t index) const {
  return std::unique_ptr<NumberStream>(std::make_unique<StoredStream>(reader_, tensors_[index]));
}

}  // namespace slime::tools

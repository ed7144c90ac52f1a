#include "tools/slime/exchange/safetensors_writer.hpp"

#include <bit>
#include <string>

#include "tools/slime/exchange/safetensors_header.hpp"

namespace slime::tools {

namespace {

static_assert(std::endian::native == std::endian::little, "floats are written as they lie");

class Writer final : public TensorFileWriter {
 public:
  explicit Writer(NewFile& file) : file_(file) {}

  // The header has told where each begins.
  Status begin() override { return ok(); }
  Status write(std::span<const float> numbers) override {
    return file_.write(std::as_bytes(numbers));
  }
  Status finish() override { return ok(); }

 private:
  NewFile& file_;
};

}  // namespace

Result<std::unique_ptr<TensorFileWriter>> write_safetensors(
    NewFile& file, std::span<const trainer::TensorInfo> tensors, const FileMetadata& metadata) {
  const std::string header = safetensors_header(tensors, metadata);
  if (Status wrote = file.write(std::as_bytes(std::span(header))); !wrote) return wrote.error();
  return std::unique_ptr<TensorFileWriter>(std::make_unique<Writer>(file));
}

}  // namespace slime::tools

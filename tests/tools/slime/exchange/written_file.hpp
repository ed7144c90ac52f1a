#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/slime/exchange/new_file.hpp"
#include "tools/slime/exchange/tensor_file_formats.hpp"

namespace slime::tests {

/// A tensor to write, with its numbers.
struct SampleTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> numbers;
};

inline std::vector<SampleTensor> sample_tensors() {
  return {{"0.weight", {2, 3}, {1, 2, 3, 4, 5, 6}},
          {"0.bias", {3}, {-0.5, 0, 0.25}},
          {"scale", {}, {7}},
          {"none", {0, 4}, {}}};
}

/// Writes a file as an export does; numbers go in pieces of two.
inline Status write_file(const std::filesystem::path& path,
                         const std::vector<SampleTensor>& tensors,
                         const tools::FileMetadata& metadata = {{"job", "sample"}}) {
  std::vector<trainer::TensorInfo> infos;
  std::uint64_t first = 0;
  for (const SampleTensor& tensor : tensors) {
    infos.push_back({tensor.name, tensor.shape, first, tensor.numbers.size()});
    first += tensor.numbers.size();
  }
  const auto format = tools::tensor_file_format(path);
  if (!format) return format.error();
  auto file = tools::NewFile::begin(path, true);
  if (!file) return file.error();
  auto writer = (*format)->write(*file, infos, metadata);
  if (!writer) return writer.error();
  for (const SampleTensor& tensor : tensors) {
    if (Status begun = (*writer)->begin(); !begun) return begun;
    for (std::span<const float> left = tensor.numbers; !left.empty();) {
      const auto piece = left.first(std::min<std::size_t>(left.size(), 2));
      if (Status wrote = (*writer)->write(piece); !wrote) return wrote;
      left = left.subspan(piece.size());
    }
  }
  if (Status finished = (*writer)->finish(); !finished) return finished;
  return file->commit();
}

/// All numbers of tensor `index`, read in pieces of four.
inline Result<std::vector<float>> numbers_of(const tools::TensorFileReader& file, std::size_t index,
                                             std::uint64_t count) {
  auto stream = file.open(index);
  if (!stream) return stream.error();
  std::vector<float> numbers(count);
  for (std::span<float> left = numbers; !left.empty();) {
    const auto piece = left.first(std::min<std::size_t>(left.size(), 4));
    if (Status got = (*stream)->read(piece); !got) return got.error();
    left = left.subspan(piece.size());
  }
  return numbers;
}

/// The bytes of `number`, little-endian.
template <class T>
std::string bytes_of(T number) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &number, sizeof(T));
  return bytes;
}

/// A safetensors file of that header and data.
inline std::string safetensors(const std::string& header, const std::string& data) {
  return bytes_of(std::uint64_t{header.size()}) + header + data;
}

}  // namespace slime::tests

#include "trainer/data/dataset.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace slime::trainer {

Dataset::Dataset(Contents contents) : contents_(std::move(contents)) {
  assert(!contents_.labels.empty() && contents_.values.size() % contents_.labels.size() == 0);
  classes_ = std::size_t{1} + *std::max_element(contents_.labels.begin(), contents_.labels.end());
}

Standardisation Dataset::measure() const {
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  for (std::uint8_t value : contents_.values) {
    sum += value;
    squares += std::uint64_t{value} * value;
  }
  const double count = static_cast<double>(contents_.values.size());
  const double mean = static_cast<double>(sum) / count;
  const double variance = static_cast<double>(squares) / count - mean * mean;
  return {mean, variance > 0 ? std::sqrt(variance) : 1};
}

void Dataset::standardise(const Standardisation& standardisation) {
  mean_ = static_cast<float>(standardisation.mean);
  scale_ = static_cast<float>(1 / standardisation.deviation);
}

void Dataset::gather(std::span<const std::uint32_t> indices, std::span<float> inputs,
                     std::span<std::uint32_t> labels) const {
  const std::size_t width = input_size();
  assert(inputs.size() == indices.size() * width && labels.size() == indices.size());
  for (std::size_t row = 0; row < indices.size(); ++row) {
    const std::size_t sample = indices[row];
    assert(sample < samples());
    const std::uint8_t* from = contents_.values.data() + sample * width;
    float* to = inputs.data() + row * width;
    for (std::size_t i = 0; i < width; ++i) to[i] = (static_cast<float>(from[i]) - mean_) * scale_;
    labels[row] = contents_.labels[sample];
  }
}

}  // namespace slime::trainer

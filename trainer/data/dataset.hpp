#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slime::trainer {

/// Makes inputs comparable in size: x = (stored value - mean) / deviation.
struct Standardisation {
  double mean = 0;
  double deviation = 1;
};

/// Labelled samples in memory, immutable once loaded, so any thread may read. Values are kept as
/// bytes, a quarter of the floats they become when a batch is gathered.
class Dataset {
 public:
  /// What a format delivers.
  struct Contents {
    std::vector<std::size_t> shape;    ///< Of one sample: rows, columns.
    std::vector<std::uint8_t> values;  ///< Sample by sample, row-major.
    std::vector<std::uint8_t> labels;
    std::uint64_t content_hash = 0;
  };
  /// Precondition: the sizes agree and there is at least one sample.
  explicit Dataset(Contents contents);

  std::size_t samples() const { return contents_.labels.size(); }
  /// Values per sample, the product of `shape()`.
  std::size_t input_size() const { return contents_.values.size() / samples(); }
  std::span<const std::size_t> shape() const { return contents_.shape; }
  /// One more than the largest label.
  std::size_t classes() const { return classes_; }
  /// Equal on nodes that hold the same data; a check against accidents, not against forgery.
  std::uint64_t content_hash() const { return contents_.content_hash; }

  /// Mean and standard deviation over all values of all samples, from integer sums, hence equal on
  /// every machine. The deviation of constant values counts as 1.
  Standardisation measure() const;
  /// Sets what `gather` applies; nothing before the first call.
  void standardise(const Standardisation& standardisation);

  /// Copies the chosen samples into consecutive rows of `inputs`, and their labels.
  /// Preconditions: indices < samples(); inputs holds indices.size() * input_size() values and
  /// labels indices.size().
  void gather(std::span<const std::uint32_t> indices, std::span<float> inputs,
              std::span<std::uint32_t> labels) const;

 private:
  Contents contents_;
  std::size_t classes_ = 0;
  float mean_ = 0;
  float scale_ = 1;
};

}  // namespace slime::trainer

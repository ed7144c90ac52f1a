#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace slime::trainer {

/// Whether an operation replaces what its output holds or adds to it.
enum class Store : bool { overwrite, accumulate };

/// Sizes of a matrix product: (m x k) times (k x n). A transposed operand is stored the other way
/// round. All matrices are dense and row-major.
struct Product {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

/// How a model did on some samples. Sums, so that parts of a batch add up.
struct BatchScore {
  double loss_sum = 0;        ///< Cross-entropy in nats.
  std::uint64_t correct = 0;  ///< Samples whose largest score is their label's.

  BatchScore& operator+=(const BatchScore& other) {
    loss_sum += other.loss_sum;
    correct += other.correct;
    return *this;
  }
};

/// The arithmetic that models are made of, on float32 in host memory. A result depends on the
/// operands, the shapes and the machine's instruction set only: never on earlier calls, addresses
/// or the number of processors. One thread at a time; nothing is allocated. Sizes that do not fit
/// together are bugs and assert.
class Backend {
 public:
  virtual ~Backend() = default;

  /// For people and reports: library, version, kernels in use, threads.
  virtual std::string description() const = 0;

  /// c = a b, or c += a b.
  virtual void multiply(const Product& product, std::span<const float> a, std::span<const float> b,
                        Store store, std::span<float> c) = 0;
  /// Adds `bias` to every row of `rows`.
  virtual void add_bias(std::span<const float> bias, std::span<float> rows) = 0;
  /// sums[j] = (or +=) the sum of column j of `rows`, top to bottom.
  virtual void sum_rows(std::span<const float> rows, Store store, std::span<float> sums) = 0;
  /// y = max(y, 0); a NaN stays one.
  virtual void relu(std::span<float> values) = 0;
  /// Zeroes the deltas of the units whose output was not positive.
  virtual void relu_backward(std::span<const float> outputs, std::span<float> deltas) = 0;
  /// Turns every row of scores z into d(loss)/dz = softmax(z) - onehot(label), and returns
  /// sum over rows of loss = log sum_j exp(z_j) - z_label. Of equal scores the first one counts as
  /// the largest. Precondition: labels < scores.size() / labels.size().
  virtual BatchScore softmax_cross_entropy(std::span<const std::uint32_t> labels,
                                           std::span<float> scores) = 0;
};

}  // namespace slime::trainer

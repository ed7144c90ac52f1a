#include "trainer/compute/cpu_backend.hpp"

#include <cblas.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace slime::trainer {

namespace {

class CpuBackend final : public Backend {
 public:
  std::string description() const override;
  void multiply(const Product& product, std::span<const float> a, std::span<const float> b,
                Store store, std::span<float> c) override;
  void add_bias(std::span<const float> bias, std::span<float> rows) override;
  void sum_rows(std::span<const float> rows, Store store, std::span<float> sums) override;
  void relu(std::span<float> values) override;
  void relu_backward(std::span<const float> outputs, std::span<float> deltas) override;
  BatchScore softmax_cross_entropy(std::span<const std::uint32_t> labels,
                                   std::span<float> scores) override;
};

std::string CpuBackend::description() const {
  return std::string("cpu: ") + openblas_get_config() + ", kernels " + openblas_get_corename() +
         ", threads " + std::to_string(openblas_get_num_threads());
}

void CpuBackend::multiply(const Product& product, std::span<const float> a,
                          std::span<const float> b, Store store, std::span<float> c) {
  const auto [m, n, k, transpose_a, transpose_b] = product;
  assert(a.size() == m * k && b.size() == k * n && c.size() == m * n);
  const auto integer = [](std::size_t size) { return static_cast<blasint>(size); };
  cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
              transpose_b ? CblasTrans : CblasNoTrans, integer(m), integer(n), integer(k), 1.0F,
              a.data(), integer(transpose_a ? m : k), b.data(), integer(transpose_b ? k : n),
              store == Store::accumulate ? 1.0F : 0.0F, c.data(), integer(n));
}

void CpuBackend::add_bias(std::span<const float> bias, std::span<float> rows) {
  const std::size_t width = bias.size();
  assert(rows.size() % width == 0);
  for (std::size_t row = 0; row < rows.size(); row += width)
    for (std::size_t j = 0; j < width; ++j) rows[row + j] += bias[j];
}

void CpuBackend::sum_rows(std::span<const float> rows, Store store, std::span<float> sums) {
  const std::size_t width = sums.size();
  assert(rows.size() % width == 0);
  if (store == Store::overwrite) std::fill(sums.begin(), sums.end(), 0.0F);
  for (std::size_t row = 0; row < rows.size(); row += width)
    for (std::size_t j = 0; j < width; ++j) sums[j] += rows[row + j];
}

void CpuBackend::relu(std::span<float> values) {
  for (float& value : values) value = value < 0 ? 0 : value;
}

void CpuBackend::relu_backward(std::span<const float> outputs, std::span<float> deltas) {
  assert(outputs.size() == deltas.size());
  for (std::size_t i = 0; i < deltas.size(); ++i) deltas[i] = outputs[i] > 0 ? deltas[i] : 0;
}

BatchScore CpuBackend::softmax_cross_entropy(std::span<const std::uint32_t> labels,
                                             std::span<float> scores) {
  BatchScore total;
  if (labels.empty()) return total;
  const std::size_t classes = scores.size() / labels.size();
  assert(scores.size() == classes * labels.size());
  for (std::size_t sample = 0; sample < labels.size(); ++sample) {
    const std::span<float> row = scores.subspan(sample * classes, classes);
    const std::uint32_t label = labels[sample];
    assert(label < classes);
    const auto largest = std::max_element(row.begin(), row.end());
    const float shift = *largest;
    const bool correct = largest - row.begin() == static_cast<std::ptrdiff_t>(label);
    const double label_score = static_cast<double>(row[label]) - static_cast<double>(shift);
    float sum = 0;
    for (float& score : row) {
      // The shift keeps exp below 1, so that no finite score overflows.
      score = std::exp(score - shift);
      sum += score;
    }
    const double loss = std::log(static_cast<double>(sum)) - label_score;
    total.loss_sum += loss;
    total.correct += correct && !std::isnan(loss) ? 1U : 0U;
    const float scale = 1 / sum;
    for (float& score : row) score *= scale;
    row[label] -= 1;
  }
  return total;
}

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() {
  openblas_set_num_threads(1);
  return std::make_unique<CpuBackend>();
}

}  // namespace slime::trainer

#include "trainer/compute/cpu_backend.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;

namespace cpu_backend_test {

std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

/// The product by its definition, in double.
std::vector<double> multiply_slowly(const Product& product, const std::vector<float>& a,
                                    const std::vector<float>& b) {
  const auto [m, n, k, transpose_a, transpose_b] = product;
  std::vector<double> c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l)
        c[i * n + j] += static_cast<double>(transpose_a ? a[l * m + i] : a[i * k + l]) *
                        static_cast<double>(transpose_b ? b[j * k + l] : b[l * n + j]);
  return c;
}

}  // namespace cpu_backend_test

BOOST_AUTO_TEST_SUITE(cpu_backend_test)

BOOST_AUTO_TEST_CASE(products_follow_their_definition_in_all_four_layouts) {
  const auto backend = make_cpu_backend();
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) {
      const Product product{
          .m = 7, .n = 5, .k = 33, .transpose_a = transpose_a, .transpose_b = transpose_b};
      const auto a = random_values(7 * 33, 1);
      const auto b = random_values(33 * 5, 2);
      const auto expected = multiply_slowly(product, a, b);
      // NaN shows that `overwrite` does not read what was there.
      std::vector<float> c(7 * 5, std::numeric_limits<float>::quiet_NaN());
      backend->multiply(product, a, b, Store::overwrite, c);
      for (std::size_t i = 0; i < c.size(); ++i)
        BOOST_TEST(std::abs(static_cast<double>(c[i]) - expected[i]) < 1e-5);
      backend->multiply(product, a, b, Store::accumulate, c);
      for (std::size_t i = 0; i < c.size(); ++i)
        BOOST_TEST(std::abs(static_cast<double>(c[i]) - 2 * expected[i]) < 2e-5);
    }
}

// Goal: gradients may land anywhere in memory, so their bits must not depend on the address.
BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_alignment) {
  const auto backend = make_cpu_backend();
  const Product product{.m = 16, .n = 100, .k = 300};
  const auto a = random_values(16 * 300, 1);
  const auto b = random_values(300 * 100, 2);
  std::vector<float> expected(16 * 100);
  backend->multiply(product, a, b, Store::overwrite, expected);
  for (std::size_t shift = 1; shift < 16; ++shift) {
    std::vector<float> moved_a(a.size() + shift), moved_b(b.size() + shift);
    std::copy(a.begin(), a.end(), moved_a.begin() + static_cast<std::ptrdiff_t>(shift));
    std::copy(b.begin(), b.end(), moved_b.begin() + static_cast<std::ptrdiff_t>(shift));
    std::vector<float> c(expected.size() + shift);
    backend->multiply(product, std::span(moved_a).subspan(shift), std::span(moved_b).subspan(shift),
                      Store::overwrite, std::span(c).subspan(shift));
    BOOST_TEST(std::equal(expected.begin(), expected.end(),
                          c.begin() + static_cast<std::ptrdiff_t>(shift)));
  }
}

BOOST_AUTO_TEST_CASE(bias_is_added_to_and_summed_over_rows) {
  const auto backend = make_cpu_backend();
  std::vector<float> rows{1, 2, 3, 4, 5, 6};
  backend->add_bias(std::vector<float>{10, 20}, rows);
  BOOST_TEST(rows == (std::vector<float>{11, 22, 13, 24, 15, 26}),
             boost::test_tools::per_element());
  std::vector<float> sums{100, 100};
  backend->sum_rows(rows, Store::overwrite, sums);
  BOOST_TEST(sums == (std::vector<float>{39, 72}), boost::test_tools::per_element());
  backend->sum_rows(rows, Store::accumulate, sums);
  BOOST_TEST(sums == (std::vector<float>{78, 144}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(relu_clips_keeps_nan_and_stops_deltas) {
  const auto backend = make_cpu_backend();
  std::vector<float> values{-1, 0, 2, std::numeric_limits<float>::quiet_NaN()};
  backend->relu(values);
  BOOST_TEST(values[0] == 0);
  BOOST_TEST(values[1] == 0);
  BOOST_TEST(values[2] == 2);
  BOOST_TEST(std::isnan(values[3]));
  std::vector<float> deltas{5, 6, 7};
  backend->relu_backward(std::span(values).first(3), deltas);
  BOOST_TEST(deltas == (std::vector<float>{0, 0, 7}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(cross_entropy_follows_its_formula) {
  const auto backend = make_cpu_backend();
  std::vector<float> scores{1, 2, 3, 0, 0, 0};
  const BatchScore score = backend->softmax_cross_entropy(std::vector<std::uint32_t>{2, 1}, scores);
  const double sum = std::exp(1.0) + std::exp(2.0) + std::exp(3.0);
  BOOST_TEST(score.loss_sum == std::log(sum) - 3 + std::log(3.0),
             boost::test_tools::tolerance(1e-6));
  // In the second row all are equal: the first counts as the largest, and it is not the label.
  BOOST_TEST(score.correct == 1U);
  const std::vector<double> expected{std::exp(1.0) / sum,
                                     std::exp(2.0) / sum,
                                     std::exp(3.0) / sum - 1,
                                     1.0 / 3,
                                     1.0 / 3 - 1,
                                     1.0 / 3};
  for (std::size_t i = 0; i < expected.size(); ++i)
    BOOST_TEST(std::abs(static_cast<double>(scores[i]) - expected[i]) < 1e-6);
}

BOOST_AUTO_TEST_CASE(huge_scores_do_not_overflow_and_nan_is_never_correct) {
  const auto backend = make_cpu_backend();
  std::vector<float> scores{3e38F, -3e38F};
  const BatchScore right = backend->softmax_cross_entropy(std::vector<std::uint32_t>{0}, scores);
  BOOST_TEST(right.loss_sum == 0);
  BOOST_TEST(right.correct == 1U);
  std::vector<float> broken{std::numeric_limits<float>::quiet_NaN(), 0};
  const BatchScore score = backend->softmax_cross_entropy(std::vector<std::uint32_t>{0}, broken);
  BOOST_TEST(std::isnan(score.loss_sum));
  BOOST_TEST(score.correct == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

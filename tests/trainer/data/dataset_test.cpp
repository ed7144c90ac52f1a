#include "trainer/data/dataset.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace slime::trainer;
namespace tt = boost::test_tools;

namespace dataset_test {

Dataset three_samples() {
  return Dataset({.shape = {1, 2}, .values = {0, 10, 20, 30, 40, 50}, .labels = {2, 0, 4}});
}

}  // namespace dataset_test

BOOST_AUTO_TEST_SUITE(dataset_test)

BOOST_AUTO_TEST_CASE(sizes_come_from_the_contents) {
  const Dataset dataset = three_samples();
  BOOST_TEST(dataset.samples() == 3U);
  BOOST_TEST(dataset.input_size() == 2U);
  BOOST_TEST(dataset.classes() == 5U);
}

BOOST_AUTO_TEST_CASE(gather_copies_the_chosen_samples_in_order) {
  const Dataset dataset = three_samples();
  std::vector<float> inputs(6);
  std::vector<std::uint32_t> labels(3);
  dataset.gather(std::vector<std::uint32_t>{2, 0, 2}, inputs, labels);
  BOOST_TEST(inputs == (std::vector<float>{40, 50, 0, 10, 40, 50}), tt::per_element());
  BOOST_TEST(labels == (std::vector<std::uint32_t>{4, 2, 4}), tt::per_element());
}

BOOST_AUTO_TEST_CASE(standardised_values_have_mean_zero_and_deviation_one) {
  Dataset dataset = three_samples();
  const Standardisation measured = dataset.measure();
  BOOST_TEST(measured.mean == 25);
  BOOST_TEST(measured.deviation == std::sqrt(1750.0 / 6), tt::tolerance(1e-12));
  dataset.standardise(measured);
  std::vector<float> inputs(6);
  std::vector<std::uint32_t> labels(3);
  dataset.gather(std::vector<std::uint32_t>{0, 1, 2}, inputs, labels);
  double sum = 0, squares = 0;
  for (float value : inputs) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  BOOST_TEST(std::abs(sum) < 1e-6);
  BOOST_TEST(squares / 6 == 1.0, tt::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(constant_values_are_centred_without_dividing_by_zero) {
  Dataset dataset({.shape = {2}, .values = {7, 7, 7, 7}, .labels = {0, 1}});
  BOOST_TEST(dataset.measure().deviation == 1);
  dataset.standardise(dataset.measure());
  std::vector<float> inputs(2);
  std::vector<std::uint32_t> labels(1);
  dataset.gather(std::vector<std::uint32_t>{1}, inputs, labels);
  BOOST_TEST(inputs == (std::vector<float>{0, 0}), tt::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

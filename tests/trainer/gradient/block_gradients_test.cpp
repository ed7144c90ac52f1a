#include "trainer/gradient/block_gradients.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <numeric>

using namespace slime;
using namespace slime::trainer;

namespace block_gradients_test {

const std::string folder = "/usr/share/datasets/fashion-mnist/";

BlockGradients::Settings settings(std::vector<std::string> layers) {
  return {
      .format = "idx",
      .train_files = {folder + "train-images-idx3-ubyte.gz", folder + "train-labels-idx1-ubyte.gz"},
      .test_files = {folder + "t10k-images-idx3-ubyte.gz", folder + "t10k-labels-idx1-ubyte.gz"},
      .layers = std::move(layers),
      .device = "cpu",
      .batch = 64,
      .block = 16,
      .seed = 1};
}

struct Softmax {
  std::unique_ptr<BlockGradients> gradients = BlockGradients::make(settings({"dense 10"})).value();
  std::vector<float> parameters = [this] {
    std::vector<float> values(gradients->model().parameter_count());
    gradients->model().initialise(1, 0, values);
    return values;
  }();
};

}  // namespace block_gradients_test

BOOST_FIXTURE_TEST_SUITE(block_gradients_test, Softmax)

BOOST_AUTO_TEST_CASE(exact_sums_do_not_depend_on_order_or_grouping) {
  GradientSum together(parameters.size(), true), apart(parameters.size(), true);
  BOOST_TEST(bool(gradients->add(3, std::vector<std::uint32_t>{0, 1, 2, 3}, parameters, together)));
  for (const std::uint32_t block : {2U, 0U, 3U, 1U})
    BOOST_TEST(bool(gradients->add(3, std::vector{block}, parameters, apart)));
  const auto left = together.bytes(0, parameters.size());
  const auto right = apart.bytes(0, parameters.size());
  BOOST_TEST(std::ranges::equal(left, right));
}

BOOST_AUTO_TEST_CASE(fast_sums_agree_within_rounding) {
  GradientSum together(parameters.size(), false), apart(parameters.size(), false);
  BOOST_TEST(bool(gradients->add(3, std::vector<std::uint32_t>{0, 1, 2, 3}, parameters, together)));
  for (const std::uint32_t block : {2U, 0U, 3U, 1U})
    BOOST_TEST(bool(gradients->add(3, std::vector{block}, parameters, apart)));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (std::abs(together.scratch()[i] - apart.scratch()[i]) > 1e-3F) BOOST_FAIL("they differ");
}

BOOST_AUTO_TEST_CASE(a_cleared_sum_forgets) {
  GradientSum sum(parameters.size(), false), fresh(parameters.size(), false);
  BOOST_TEST(bool(gradients->add(0, std::vector<std::uint32_t>{0}, parameters, sum)));
  sum.clear();
  BOOST_TEST(sum.empty());
  BOOST_TEST(bool(gradients->add(1, std::vector<std::uint32_t>{2}, parameters, sum)));
  BOOST_TEST(bool(gradients->add(1, std::vector<std::uint32_t>{2}, parameters, fresh)));
  BOOST_TEST(std::ranges::equal(sum.bytes(0, 100), fresh.bytes(0, 100)));
}

BOOST_AUTO_TEST_CASE(parts_of_the_test_set_add_up) {
  BatchScore parts;
  parts += gradients->evaluate(0, 300, parameters);
  parts += gradients->evaluate(300, 700, parameters);
  const BatchScore whole = gradients->evaluate(0, 1000, parameters);
  BOOST_TEST(parts.correct == whole.correct);
  BOOST_TEST(std::abs(parts.loss_sum - whole.loss_sum) < 1e-6 * whole.loss_sum);
}

BOOST_AUTO_TEST_CASE(the_probe_tells_models_apart_and_is_repeatable) {
  BOOST_TEST(gradients->probe_hash() == gradients->probe_hash());
  const auto other = BlockGradients::make(settings({"dense 12"})).value();
  BOOST_TEST(gradients->probe_hash() != other->probe_hash());
  BOOST_TEST(gradients->data_hash() == other->data_hash());
}

BOOST_AUTO_TEST_CASE(a_model_with_too_few_outputs_is_refused) {
  const auto refused = BlockGradients::make(settings({"dense 9"}));
  BOOST_TEST((refused.error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()

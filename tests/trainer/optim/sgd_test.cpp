#include "trainer/optim/sgd.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace slime::trainer;
namespace tt = boost::test_tools;

namespace sgd_test {

struct Scalar {
  float p = 2;
  float v = 0;

  void apply(const Optimizer& optimizer, const Step& step, double gradient_sum) {
    const std::span<float> slot(&v, 1);
    optimizer.apply(step, std::span<const double>(&gradient_sum, 1), std::span(&p, 1),
                    std::span(&slot, optimizer.slots()));
  }
};

}  // namespace sgd_test

BOOST_AUTO_TEST_SUITE(sgd_test)

BOOST_AUTO_TEST_CASE(without_momentum_it_keeps_nothing_and_follows_the_gradient) {
  const auto sgd = make_sgd({.weight_decay = 0.5});
  BOOST_TEST(sgd->slots() == 0U);
  Scalar scalar;
  scalar.apply(*sgd, {.learning_rate = 0.25, .iteration_samples = 4, .samples = 4}, 12);
  BOOST_TEST(scalar.p == 2 - 0.25F * (3 + 0.5F * 2));
}

BOOST_AUTO_TEST_CASE(momentum_and_decay_follow_the_formula) {
  const auto sgd = make_sgd({.momentum = 0.5, .weight_decay = 0.25});
  BOOST_TEST(sgd->slots() == 1U);
  Scalar scalar;
  const Step step{.learning_rate = 0.5, .iteration_samples = 2, .samples = 2};
  scalar.apply(*sgd, step, 4);  // v = 2 + 0.5, p = 2 - 1.25
  BOOST_TEST(scalar.v == 2.5F);
  BOOST_TEST(scalar.p == 0.75F);
  scalar.apply(*sgd, step, 2);  // v = 1.25 + 1 + 0.1875, p = 0.75 - 1.21875
  BOOST_TEST(scalar.v == 2.4375F);
  BOOST_TEST(scalar.p == -0.46875F);
}

BOOST_AUTO_TEST_CASE(a_part_of_an_iteration_decays_by_its_part) {
  const auto sgd = make_sgd({.weight_decay = 0.5});
  Scalar scalar;
  scalar.apply(*sgd, {.learning_rate = 0.25, .iteration_samples = 4, .samples = 1}, 0);
  BOOST_TEST(scalar.p == 2 - 0.25F * 0.25F * 0.5F * 2);
}

// Goal: cutting iterations into pushes changes neither how far a gradient moves the parameters in
// the end nor over how many samples the velocity fades.
BOOST_AUTO_TEST_CASE(a_gradient_moves_as_far_however_iterations_are_cut) {
  const auto sgd = make_sgd({.momentum = 0.9});
  for (const double parts : {1.0, 4.0, 16.0}) {
    Scalar scalar;
    const Step step{.learning_rate = 0.1, .iteration_samples = 16, .samples = 16 / parts};
    scalar.apply(*sgd, step, 16);
    for (int push = 0; push < static_cast<int>(20 * parts); ++push) scalar.apply(*sgd, step, 0);
    BOOST_TEST(static_cast<double>(scalar.v) == std::pow(0.9, 20), tt::tolerance(1e-4));
    for (int push = 0; push < static_cast<int>(300 * parts); ++push) scalar.apply(*sgd, step, 0);
    BOOST_TEST(static_cast<double>(scalar.p) == 2 - 0.1 / (1 - 0.9), tt::tolerance(1e-4));
  }
}

BOOST_AUTO_TEST_SUITE_END()

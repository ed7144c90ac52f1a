#include "trainer/optim/optimizer.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime::trainer;

namespace optimizer_test {

/// Adds the gradient it is handed to both the parameters and its slot.
class Adder final : public Optimizer {
 public:
  std::string_view name() const override { return "adder"; }
  std::size_t slots() const override { return 1; }

 protected:
  void step_elements(const Step&, std::span<const double> gradient, std::span<float> parameters,
                     std::span<const std::span<float>> slots) const override {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] += static_cast<float>(gradient[i]);
      slots[0][i] += static_cast<float>(gradient[i]);
    }
  }
};

}  // namespace optimizer_test

BOOST_AUTO_TEST_SUITE(optimizer_test)

BOOST_AUTO_TEST_CASE(each_element_meets_its_own_mean_gradient_and_slot) {
  constexpr std::size_t size = 3'000;
  std::vector<float> gradient(size), parameters(size, 1), slot(size, 2);
  for (std::size_t i = 0; i < size; ++i) gradient[i] = static_cast<float>(i) * 8;
  const std::vector<std::span<float>> slots{slot};
  Adder().apply(Step{.iteration_samples = 4, .samples = 2, .damping = 0.5}, gradient, parameters,
                slots);
  for (std::size_t i = 0; i < size; ++i) {
    BOOST_TEST(parameters[i] == 1 + static_cast<float>(i));
    BOOST_TEST(slot[i] == 2 + static_cast<float>(i));
  }
}

BOOST_AUTO_TEST_SUITE_END()

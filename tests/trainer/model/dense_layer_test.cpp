#include "trainer/model/dense_layer.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "trainer/compute/cpu_backend.hpp"

using namespace slime;
using namespace slime::trainer;

namespace dense_layer_test {

std::string error_of(std::vector<std::string_view> arguments) {
  const auto made = make_dense_layer(arguments, 4);
  return made ? std::string() : made.error().context;
}

}  // namespace dense_layer_test

BOOST_AUTO_TEST_SUITE(dense_layer_test)

BOOST_AUTO_TEST_CASE(outputs_are_x_w_plus_b_clipped_by_relu) {
  const auto backend = make_cpu_backend();
  const std::vector<float> parameters{1, 2, 3, 4, 5, 6, /* bias */ 10, -100};
  const std::vector<float> inputs{1, 1, 1, 0, 2, 0};
  std::vector<float> outputs(4);
  const std::vector<std::string_view> linear{"2"}, relu{"2", "relu"};
  make_dense_layer(linear, 3).value()->forward(*backend, parameters, inputs, outputs);
  BOOST_TEST(outputs == (std::vector<float>{19, -88, 16, -92}), boost::test_tools::per_element());
  make_dense_layer(relu, 3).value()->forward(*backend, parameters, inputs, outputs);
  BOOST_TEST(outputs == (std::vector<float>{19, 0, 16, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(tensors_state_shapes_and_initial_bounds) {
  const std::vector<std::string_view> arguments{"5", "relu"};
  const auto tensors = make_dense_layer(arguments, 6).value()->tensors();
  BOOST_REQUIRE(tensors.size() == 2U);
  BOOST_TEST((tensors[0].shape == std::vector<std::size_t>{6, 5}));
  BOOST_TEST(tensors[0].initial_bound == 1.0, boost::test_tools::tolerance(1e-15));
  BOOST_TEST((tensors[1].shape == std::vector<std::size_t>{5}));
  BOOST_TEST(tensors[1].initial_bound == 0);
}

BOOST_AUTO_TEST_CASE(bad_arguments_are_named) {
  BOOST_TEST(error_of({}) == "the number of outputs is missing");
  for (std::string_view number : {"0", "-3", "12x", "1e3", "1048577", "99999999999999999999"})
    BOOST_TEST(error_of({number}) == "the number of outputs is \"" + std::string(number) +
                                         "\", not an integer from 1 to 1048576");
  BOOST_TEST(error_of({"5", "rellu"}) == "unexpected \"rellu\"");
  BOOST_TEST(error_of({"5", "relu", "relu"}) == "unexpected \"relu\"");
  BOOST_TEST(error_of({"5", "relu"}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

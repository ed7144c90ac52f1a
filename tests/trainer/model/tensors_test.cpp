#include "trainer/model/tensors.hpp"

#include <boost/test/unit_test.hpp>

#include "trainer/model/model.hpp"

using namespace slime;
using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(tensors_test)

BOOST_AUTO_TEST_CASE(each_layer_gives_its_tensors_in_model_order) {
  const std::vector<std::string> layers{"dense 256 relu", "dense 10"};
  const auto tensors = tensors_of(layers, 64).value();
  const std::vector<TensorInfo> expected{{"0.weight", {64, 256}, 0, 16'384},
                                         {"0.bias", {256}, 16'384, 256},
                                         {"1.weight", {256, 10}, 16'640, 2'560},
                                         {"1.bias", {10}, 19'200, 10}};
  BOOST_TEST((tensors == expected));
  BOOST_TEST(tensors.back().first + tensors.back().count ==
             Model::build(layers, 64)->parameter_count());
}

BOOST_AUTO_TEST_CASE(what_is_no_model_is_refused) {
  BOOST_TEST((tensors_of({}, 64).error().code == Errc::invalid_argument));
  const std::vector<std::string> wrong{"dens 10"}, right{"dense 10"};
  BOOST_TEST(tensors_of(wrong, 64).error().context.find("dense") != std::string::npos);
  BOOST_TEST((tensors_of(right, std::size_t(-1)).error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(shapes_are_written_as_lists) {
  const std::vector<std::uint64_t> shape{64, 256};
  BOOST_TEST(shape_text(shape) == "[64, 256]");
  BOOST_TEST(shape_text({}) == "[]");
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/exchange/imported_planes.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"

using namespace slime;
using namespace slime::tools;
using slime::tests::SampleTensor;

namespace imported_planes_test {

const std::vector<CheckpointTensor> model =
    checkpoint_tensors(std::vector<trainer::TensorInfo>{{"a", {2}, 0, 2}, {"b", {3}, 2, 3}}, 1);

/// A new job's parameters are their own positions.
const InitialValues positions = [](std::uint64_t first, std::span<float> out) {
  for (float& number : out) number = static_cast<float>(first++);
};

struct Folder : slime::tests::TempDir {
  std::unique_ptr<TensorFileReader> file(const std::vector<SampleTensor>& tensors) const {
    const auto name = path() / "file.safetensors";
    BOOST_REQUIRE(bool(slime::tests::write_file(name, tensors)));
    return std::move(*(*tensor_file_format(name))->read(name));
  }
};

}  // namespace imported_planes_test

BOOST_FIXTURE_TEST_SUITE(imported_planes_test, Folder)

BOOST_AUTO_TEST_CASE(planes_are_filled_in_model_order_across_tensors) {
  const auto from = file({{"b", {3}, {30, 31, 32}}, {"a", {2}, {10, 11}}, {"s", {3}, {7, 8, 9}}});
  const std::vector<ImportedTensor> tensors{
      {model[0], 1}, {model[1], 0}, {model[2], std::nullopt}, {model[3], 2}};
  ImportedPlanes planes(*from, tensors, positions);
  BOOST_TEST(planes.planes() == 2u);
  std::vector<float> values(3), rest(2), slots(5);
  BOOST_TEST(bool(planes.read(0, values)));
  BOOST_TEST(bool(planes.read(1, slots)));
  BOOST_TEST(bool(planes.read(0, rest)));
  BOOST_TEST(values == (std::vector<float>{10, 11, 30}));
  BOOST_TEST(rest == (std::vector<float>{31, 32}));
  BOOST_TEST(slots == (std::vector<float>{0, 0, 7, 8, 9}));
}

BOOST_AUTO_TEST_CASE(what_the_file_lacks_is_as_in_a_new_job) {
  const auto from = file({{"a", {2}, {10, 11}}});
  const std::vector<ImportedTensor> tensors{
      {model[0], 0}, {model[1], std::nullopt}, {model[2], std::nullopt}, {model[3], std::nullopt}};
  ImportedPlanes planes(*from, tensors, positions);
  std::vector<float> values(4), last(1);
  BOOST_TEST(bool(planes.read(0, values)));
  BOOST_TEST(bool(planes.read(0, last)));
  BOOST_TEST(values == (std::vector<float>{10, 11, 2, 3}));
  BOOST_TEST(last == std::vector<float>{4});
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none_are_refused_by_tensor_and_position) {
  for (const float wrong :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    const auto from = file({{"a", {2}, {10, wrong}}});
    const std::vector<ImportedTensor> tensors{{model[0], 0}};
    ImportedPlanes planes(*from, tensors, positions);
    std::vector<float> values(2);
    const Status got = planes.read(0, values);
    BOOST_REQUIRE(!got);
    BOOST_TEST((got.error().code == Errc::corruption));
    BOOST_TEST(got.error().context.find("\"a\"") != std::string::npos);
    BOOST_TEST(got.error().context.find("position 1") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/data/idx_format.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/trainer/data/idx_files.hpp"

using namespace slime;
using namespace slime::trainer;
using namespace slime::tests;

namespace idx_format_test {

const std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";
const auto train_images = folder / "train-images-idx3-ubyte.gz";
const auto train_labels = folder / "train-labels-idx1-ubyte.gz";
const auto test_labels = folder / "t10k-labels-idx1-ubyte.gz";

Result<Dataset> load(const std::vector<std::filesystem::path>& files) {
  return load_idx(files);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace idx_format_test

BOOST_FIXTURE_TEST_SUITE(idx_format_test, IdxFolder)

BOOST_AUTO_TEST_CASE(fashion_mnist_loads_as_it_is_known) {
  const auto dataset = load({train_images, train_labels});
  BOOST_REQUIRE_MESSAGE(bool(dataset), "needs the package dataset-fashion-mnist");
  BOOST_TEST(dataset->samples() == 60'000U);
  BOOST_TEST(dataset->input_size() == 784U);
  BOOST_TEST(dataset->classes() == 10U);
  // The published constants are 0.2860 and 0.3530 of the full range.
  BOOST_TEST(std::abs(dataset->measure().mean / 255 - 0.2860) < 1e-4);
  BOOST_TEST(std::abs(dataset->measure().deviation / 255 - 0.3530) < 1e-4);
}

BOOST_AUTO_TEST_CASE(images_with_labels_of_another_set_are_refused_with_both_counts) {
  const auto dataset = load({train_images, test_labels});
  BOOST_REQUIRE(!dataset);
  BOOST_TEST((dataset.error().code == Errc::invalid_argument));
  BOOST_TEST(contains(dataset.error().context, "60000 images"));
  BOOST_TEST(contains(dataset.error().context, "10000 labels"));
}

BOOST_AUTO_TEST_CASE(swapped_files_are_refused_with_both_magic_numbers) {
  const auto dataset = load({train_labels, train_images});
  BOOST_REQUIRE(!dataset);
  BOOST_TEST(contains(dataset.error().context, "0x00000803"));
  BOOST_TEST(contains(dataset.error().context, "found 0x00000801"));
}

BOOST_AUTO_TEST_CASE(the_content_hash_tells_data_apart_and_not_files) {
  const Bytes images = idx_bytes({2, 2, 2}, 8);
  const Bytes labels = idx_bytes({2}, 2);
  Bytes other = labels;
  other.back() = 7;
  const auto a = load({write("images", images), write("labels", labels)});
  const auto b = load({write("images.gz", gzip(images)), write("labels.gz", gzip(labels))});
  const auto c = load({write("images", images), write("other", other)});
  BOOST_REQUIRE((a && b && c));
  BOOST_TEST(a->content_hash() == b->content_hash());
  BOOST_TEST(a->content_hash() != c->content_hash());
}

BOOST_AUTO_TEST_CASE(one_file_is_not_enough) {
  BOOST_TEST(
      contains(load({train_images}).error().context, "two files, images and labels; found 1"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/exchange/tensor_file_formats.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"

using namespace slime;
using namespace slime::tools;

BOOST_FIXTURE_TEST_SUITE(tensor_file_formats_test, slime::tests::TempDir)

// Every listed format runs here; adding one adds its cases.
BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
  const auto tensors = slime::tests::sample_tensors();
  for (const TensorFileFormat& format : tensor_file_formats()) {
    const auto file = path() / ("file" + std::string(format.extension));
    BOOST_TEST((*tensor_file_format(file))->name == format.name);
    BOOST_REQUIRE(bool(slime::tests::write_file(file, tensors)));
    const auto read = format.read(file);
    BOOST_REQUIRE_MESSAGE(bool(read), format.name);
    BOOST_REQUIRE((*read)->tensors().size() == tensors.size());
    // Backwards, since an import reads in the model's order, not in the file's.
    for (std::size_t i = tensors.size(); i-- > 0;) {
      BOOST_TEST((*read)->tensors()[i].name == tensors[i].name);
      BOOST_TEST((*read)->tensors()[i].shape == tensors[i].shape);
      BOOST_TEST((*read)->tensors()[i].objection == "");
      BOOST_TEST(*slime::tests::numbers_of(**read, i, tensors[i].numbers.size()) ==
                 tensors[i].numbers);
    }
  }
}

BOOST_AUTO_TEST_CASE(streams_are_read_in_turn) {
  for (const TensorFileFormat& format : tensor_file_formats()) {
    const auto file = path() / ("turns" + std::string(format.extension));
    BOOST_REQUIRE(bool(slime::tests::write_file(file, slime::tests::sample_tensors())));
    const auto read = format.read(file);
    BOOST_REQUIRE(bool(read));
    auto one = (*read)->open(0), two = (*read)->open(1);
    BOOST_REQUIRE(bool(one));
    BOOST_REQUIRE(bool(two));
    float first = 0, second = 0;
    BOOST_TEST(bool((*one)->read({&first, 1})));
    BOOST_TEST(bool((*two)->read({&second, 1})));
    BOOST_TEST(second == -0.5F);
    BOOST_TEST(bool((*one)->read({&first, 1})));
    BOOST_TEST(first == 2.0F);
  }
}

BOOST_AUTO_TEST_CASE(other_extensions_are_refused_with_the_nearest) {
  const auto format = tensor_file_format("weights.safetensor");
  BOOST_REQUIRE(!format);
  BOOST_TEST((format.error().code == Errc::invalid_argument));
  BOOST_TEST(format.error().context.find("did you mean \".safetensors\"?") != std::string::npos);
  BOOST_TEST(!tensor_file_format("weights"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/exchange/safetensors_reader.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"

using namespace slime;
using namespace slime::tools;
using slime::tests::bytes_of;
using slime::tests::safetensors;

BOOST_FIXTURE_TEST_SUITE(safetensors_reader_test, slime::tests::TempDir)

BOOST_AUTO_TEST_CASE(every_number_format_is_read_as_floats) {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
      R"("b":{"dtype":"BF16","shape":[],"data_offsets":[4,6]},)"
      R"("d":{"dtype":"F64","shape":[1],"data_offsets":[6,14]}}   )";
  const std::string data = bytes_of(std::uint16_t{0x3c00}) + bytes_of(std::uint16_t{0xc000}) +
                           bytes_of(std::uint16_t{0x3fc0}) + bytes_of(0.1);
  const auto file = read_safetensors(write("file.safetensors", safetensors(header, data)));
  BOOST_REQUIRE(bool(file));
  BOOST_REQUIRE((*file)->tensors().size() == 3u);
  BOOST_TEST(*slime::tests::numbers_of(**file, 0, 2) == (std::vector<float>{1, -2}));
  BOOST_TEST(*slime::tests::numbers_of(**file, 1, 1) == std::vector<float>{1.5});
  BOOST_TEST(*slime::tests::numbers_of(**file, 2, 1) == std::vector<float>{0.1F});
}

BOOST_AUTO_TEST_CASE(lengths_beyond_the_file_are_refused_without_their_memory) {
  const auto code = [&](const std::string& bytes) {
    const auto file = read_safetensors(write("file.safetensors", bytes));
    return file ? std::string("read") : file.error().context;
  };
  BOOST_TEST(code("").find("too few") != std::string::npos);
  BOOST_TEST(code("1234567").find("too few") != std::string::npos);
  for (const std::uint64_t length : {3ull, 1ull << 40, ~0ull, ~0ull - 8})
    BOOST_TEST(code(bytes_of(length) + "{}").find("promises a header") != std::string::npos);
  BOOST_TEST(code(safetensors("{}", "x")).find("1 follow") != std::string::npos);
  BOOST_TEST(code(safetensors("{}", "")) == "read");
  BOOST_TEST((read_safetensors(path() / "absent").error().code == Errc::not_found));
}

// Goal: a file that shrinks while it is read is an error and no signal.
BOOST_AUTO_TEST_CASE(a_file_that_shrinks_is_damaged) {
  const auto file_path = path() / "file.safetensors";
  BOOST_REQUIRE(bool(slime::tests::write_file(file_path, slime::tests::sample_tensors())));
  const auto file = read_safetensors(file_path);
  BOOST_REQUIRE(bool(file));
  std::filesystem::resize_file(file_path, 40);
  BOOST_TEST((slime::tests::numbers_of(**file, 0, 6).error().code == Errc::corruption));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/exchange/safetensors_writer.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/exchange/written_file.hpp"

using namespace slime;
using namespace slime::tests;

BOOST_FIXTURE_TEST_SUITE(safetensors_writer_test, TempDir)

BOOST_AUTO_TEST_CASE(a_file_is_length_header_and_numbers) {
  BOOST_REQUIRE(
      bool(write_file(path() / "file.safetensors", {{"a", {2}, {1, -2}}, {"b", {}, {3}}})));
  const std::string header =
      R"({"__metadata__":{"job":"sample"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  BOOST_TEST(read("file.safetensors") ==
             safetensors(padded, bytes_of(1.0F) + bytes_of(-2.0F) + bytes_of(3.0F)));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/exchange/input_file.hpp"

#include <sys/stat.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;

BOOST_FIXTURE_TEST_SUITE(input_file_test, slime::tests::TempDir)

BOOST_AUTO_TEST_CASE(bytes_are_read_from_any_place) {
  const auto file = InputFile::open(write("data", "0123456789"));
  BOOST_REQUIRE(bool(file));
  BOOST_TEST(file->size() == 10u);
  std::array<std::byte, 3> bytes{};
  BOOST_TEST(bool(file->read(7, bytes)));
  BOOST_TEST((bytes[2] == std::byte{'9'}));
  BOOST_TEST((file->read(8, bytes).error().code == Errc::corruption));
}

BOOST_AUTO_TEST_CASE(the_alias_is_the_same_file_after_the_path_is_taken) {
  const auto file = InputFile::open(write("data", "old"));
  std::filesystem::remove(path() / "data");
  write("data", "new");
  std::string text;
  std::ifstream(file->alias()) >> text;
  BOOST_TEST(text == "old");
}

BOOST_AUTO_TEST_CASE(only_regular_files_are_read) {
  BOOST_TEST((InputFile::open(path() / "absent").error().code == Errc::not_found));
  BOOST_TEST((InputFile::open(path()).error().code == Errc::io_error));
  BOOST_REQUIRE(::mkfifo((path() / "pipe").c_str(), 0600) == 0);
  BOOST_TEST((InputFile::open(path() / "pipe").error().code == Errc::io_error));
}

BOOST_AUTO_TEST_SUITE_END()

#include "storage/durable_file.hpp"

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <string>

#include "tests/storage/tree_bytes.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

BOOST_AUTO_TEST_SUITE(durable_file_test)

BOOST_FIXTURE_TEST_CASE(what_is_written_takes_the_place_of_what_was_there, tests::TempDir) {
  const std::string longer(100'000, 'x');
  BOOST_TEST(write_durably(path() / "file", longer));
  BOOST_TEST(write_durably(path() / "file", "short"));
  BOOST_TEST(tests::file_bytes(path() / "file") == "short");
  BOOST_TEST(tests::tree_bytes(path()).size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(removing_twice_is_removing, tests::TempDir) {
  BOOST_REQUIRE(write_durably(path() / "file", "x"));
  BOOST_TEST(remove_durably(path() / "file"));
  BOOST_TEST(remove_durably(path() / "file"));
  BOOST_TEST(tests::tree_bytes(path()).empty());
}

BOOST_FIXTURE_TEST_CASE(a_missing_folder_is_told, tests::TempDir) {
  BOOST_TEST(!write_durably(path() / "none" / "file", "x"));
  BOOST_TEST(errno == ENOENT);
}

BOOST_AUTO_TEST_SUITE_END()

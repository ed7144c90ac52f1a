#include "storage/store_format.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

namespace store_format_test {

void touch(const std::filesystem::path& path, const std::string& text = "x\n") {
  std::ofstream(path) << text;
}

}  // namespace store_format_test

BOOST_AUTO_TEST_SUITE(store_format_test)

BOOST_FIXTURE_TEST_CASE(a_marked_folder_with_a_database_passes, tests::TempDir) {
  BOOST_REQUIRE(bool(mark_format(path())));
  touch(path() / "CURRENT");
  BOOST_TEST(bool(check_format(path())));
  BOOST_TEST(bool(mark_format(path())));
}

BOOST_FIXTURE_TEST_CASE(no_store_and_a_damaged_one_are_told_apart, tests::TempDir) {
  BOOST_TEST((check_format(path()).error().code == Errc::not_found));
  BOOST_TEST((check_format(path() / "missing").error().code == Errc::not_found));
  touch(path() / "000007.sst");
  BOOST_TEST((check_format(path()).error().code == Errc::corruption));
  BOOST_REQUIRE(bool(mark_format(path())));
  const auto status = check_format(path());
  BOOST_TEST((status.error().code == Errc::corruption));
  BOOST_TEST(status.error().context.find("CURRENT") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_newer_format_is_refused, tests::TempDir) {
  touch(path() / "FORMAT", "slime store 2\n");
  touch(path() / "CURRENT");
  BOOST_TEST((check_format(path()).error().code == Errc::incompatible));
}

BOOST_AUTO_TEST_SUITE_END()

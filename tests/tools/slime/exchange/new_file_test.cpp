#include "tools/slime/exchange/new_file.hpp"

#include <boost/test/unit_test.hpp>
#include <iterator>
#include <optional>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;
namespace fs = std::filesystem;

namespace new_file_test {

struct Folder : slime::tests::TempDir {
  const fs::path target = path() / "file";

  Status put(std::string_view text, bool replace) {
    auto file = NewFile::begin(target, replace);
    if (!file) return file.error();
    if (Status wrote = file->write(std::as_bytes(std::span(text))); !wrote) return wrote;
    return file->commit();
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(path()), fs::directory_iterator());
  }
};

}  // namespace new_file_test

BOOST_FIXTURE_TEST_SUITE(new_file_test, Folder)

BOOST_AUTO_TEST_CASE(it_appears_whole_when_it_is_committed) {
  {
    auto file = NewFile::begin(target, false);
    BOOST_REQUIRE(bool(file));
    BOOST_TEST(bool(file->write(std::as_bytes(std::span("half", 4)))));
    BOOST_TEST(!fs::exists(target));
    BOOST_TEST(file->draft().parent_path() == path());
    BOOST_TEST(bool(file->commit()));
  }
  BOOST_TEST(read("file") == "half");
  BOOST_TEST(files() == 1);
}

BOOST_AUTO_TEST_CASE(what_is_not_committed_leaves_nothing) {
  {
    auto file = NewFile::begin(target, false);
    auto moved = std::optional(std::move(*file));
    BOOST_TEST(bool(moved->write(std::as_bytes(std::span("half", 4)))));
  }
  BOOST_TEST(files() == 0);
}

BOOST_AUTO_TEST_CASE(a_file_is_replaced_only_by_leave) {
  write("file", "old");
  BOOST_TEST((put("new", false).error().code == Errc::already_exists));
  BOOST_TEST(read("file") == "old");
  BOOST_TEST(bool(put("new", true)));
  BOOST_TEST(read("file") == "new");
  BOOST_TEST(files() == 1);
}

// Goal: who took the name while this was being written keeps it.
BOOST_AUTO_TEST_CASE(a_file_that_comes_in_between_is_not_replaced) {
  auto file = NewFile::begin(target, false);
  write("file", "other");
  BOOST_TEST((file->commit().error().code == Errc::already_exists));
  BOOST_TEST(read("file") == "other");
}

BOOST_AUTO_TEST_CASE(places_where_no_file_can_be_are_refused) {
  BOOST_TEST((NewFile::begin(path(), true).error().code == Errc::invalid_argument));
  BOOST_TEST((NewFile::begin(path() / "no" / "file", true).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(two_at_a_time_do_not_meet) {
  auto one = NewFile::begin(path() / "one", false), two = NewFile::begin(path() / "two", false);
  BOOST_TEST(one->draft() != two->draft());
  BOOST_TEST(bool(one->commit()));
  BOOST_TEST(bool(two->commit()));
  BOOST_TEST(files() == 2);
}

BOOST_AUTO_TEST_SUITE_END()

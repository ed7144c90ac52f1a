#include "storage/closing_record.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <string>

#include "tests/storage/tree_bytes.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
namespace fs = std::filesystem;

namespace closing_record_test {

struct Folder : tests::TempDir {
  Folder() {
    put("CURRENT", "MANIFEST-1\n");
    put("LOG", "notes");
    put("empty", "");
    put("1.sst", "a table");
    BOOST_REQUIRE(bool(record_closing(path())));
  }

  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path() / name, std::ios::binary) << text;
  }

  std::string changed() const {
    std::string names;
    for (const auto& file : changed_since_closing(path())) {
      BOOST_TEST((file.why.code == Errc::corruption));
      names += file.name + " ";
    }
    return names;
  }
};

}  // namespace closing_record_test

BOOST_FIXTURE_TEST_SUITE(closing_record_test, Folder)

BOOST_AUTO_TEST_CASE(what_did_not_change_is_whole) {
  BOOST_TEST(changed() == "");
  // A later record takes the place of the one before.
  put("CURRENT", "MANIFEST-2\n");
  BOOST_REQUIRE(bool(record_closing(path())));
  BOOST_TEST(changed() == "");
}

BOOST_AUTO_TEST_CASE(changed_longer_and_missing_files_are_named) {
  put("CURRENT", "MANIFEST-3\n");
  BOOST_TEST(changed() == "CURRENT ");
  put("empty", "x");
  BOOST_TEST(changed() == "CURRENT empty ");
  fs::remove(path() / "CURRENT");
  BOOST_TEST(changed() == "CURRENT empty ");
}

BOOST_AUTO_TEST_CASE(notes_may_be_removed_but_not_changed) {
  put("LOG", "nodes");
  BOOST_TEST(changed() == "LOG ");
  fs::remove(path() / "LOG");
  BOOST_TEST(changed() == "");
}

BOOST_AUTO_TEST_CASE(table_files_and_new_ones_are_not_its_business) {
  put("1.sst", "another table");
  put("2.sst", "one more");
  put("new", "x");
  BOOST_TEST(changed() == "");
}

BOOST_AUTO_TEST_CASE(every_bit_of_the_record_counts) {
  const std::string whole = tests::file_bytes(path() / "CLOSED");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    put("CLOSED", damaged);
    BOOST_TEST(changed() == "CLOSED ");
  }
  put("CLOSED", "");
  BOOST_TEST(changed() == "CLOSED ");
}

BOOST_AUTO_TEST_CASE(where_there_is_none_nothing_is_said) {
  put("CURRENT", "");
  BOOST_TEST(bool(forget_closing(path())));
  BOOST_TEST(bool(forget_closing(path())));
  BOOST_TEST(changed() == "");
}

BOOST_AUTO_TEST_SUITE_END()

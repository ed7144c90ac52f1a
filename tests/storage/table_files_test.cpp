#include "storage/table_files.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "storage/database.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
namespace fs = std::filesystem;

namespace table_files_test {

/// A folder with one file of the catalog, one of the blocks, and one that is no table.
struct SomeFiles : tests::TempDir {
  SomeFiles() {
    fill();
    std::ofstream(path() / "000099.sst") << "cut short";
  }

  void fill() {
    const auto database = Database::open(path(), OpenMode::create);
    for (const auto table : {Table::catalog, Table::blocks}) {
      const auto before = table_files(path());
      std::vector<TableWriter> writers;
      writers.push_back(std::move(*(*database)->new_table(table)));
      BOOST_REQUIRE(bool(writers[0].add("manifest/1", {})));
      BOOST_REQUIRE(bool((*database)->ingest(std::move(writers))));
      for (const auto& name : table_files(path()))
        if (!before.contains(name)) (table == Table::catalog ? catalog : blocks) = name;
    }
  }

  std::set<std::string> forgotten(const std::set<std::string>& listed = {}) const {
    return forgotten_files(path(), table_files(path()), listed, {"catalog"});
  }

  std::string catalog, blocks;
};

}  // namespace table_files_test

BOOST_AUTO_TEST_SUITE(table_files_test)

BOOST_FIXTURE_TEST_CASE(files_tell_what_they_were_written_for, SomeFiles) {
  BOOST_TEST(column_family_of(path() / catalog) == "catalog");
  BOOST_TEST(column_family_of(path() / blocks) == "blocks");
  BOOST_TEST(column_family_of(path() / "000099.sst").empty());
  BOOST_TEST(table_files(path()).size() == 3u);
  BOOST_TEST(table_files(path() / "none").empty());
}

BOOST_FIXTURE_TEST_CASE(whole_files_that_are_not_listed_are_forgotten, SomeFiles) {
  BOOST_TEST((forgotten() == std::set{catalog}));
  BOOST_TEST(forgotten({catalog}).empty());
}

BOOST_FIXTURE_TEST_CASE(a_file_on_its_way_in_is_not, SomeFiles) {
  const fs::path staged = staging_folder(path()) / "0.sst";
  fs::create_hard_link(path() / catalog, staged);
  BOOST_TEST(forgotten().empty());
  // A file system without links has copies.
  fs::remove(staged);
  fs::copy_file(path() / catalog, staged);
  BOOST_TEST(forgotten().empty());
  std::ofstream(staged, std::ios::app) << "another";
  BOOST_TEST(!forgotten().empty());
}

BOOST_FIXTURE_TEST_CASE(a_file_on_its_way_out_is_not, SomeFiles) {
  const auto present = table_files(path());
  {
    const LeavingFiles marked(path(), {catalog});
    BOOST_TEST(forgotten().empty());
  }
  // It did not go, so a crash may still come between.
  BOOST_TEST(forgotten().empty());
  {
    const LeavingFiles marked(path(), {catalog});
    fs::remove(path() / catalog);
  }
  BOOST_TEST(fs::is_empty(staging_folder(path())));
  BOOST_TEST(forgotten_files(path(), present, {}, {"catalog"}).empty());
}

// Without the file's own checksum its footer's padding counts for nothing; a wrong one is damage.
BOOST_FIXTURE_TEST_CASE(a_file_is_checked_by_its_blocks_or_as_a_whole, SomeFiles) {
  BOOST_TEST(bool(check_table_file(path() / blocks, "")));
  BOOST_TEST((check_table_file(path() / blocks, "abcd").error().code == Errc::corruption));
  BOOST_TEST((check_table_file(path() / "000099.sst", "").error().code == Errc::corruption));
  BOOST_TEST((check_table_file(path() / "1.sst", "").error().code == Errc::not_found));
  BOOST_TEST((check_table_file(path() / "1.sst", "abcd").error().code == Errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

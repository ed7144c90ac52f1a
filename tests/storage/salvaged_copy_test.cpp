#include "storage/salvaged_copy.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>

#include "storage/table_files.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(salvaged_copy_test)

BOOST_FIXTURE_TEST_CASE(its_folder_goes_with_it, tests::TempDir) {
  const fs::path head = path() / "head";
  {
    auto store = CheckpointStore::open(head, OpenMode::create).value();
    BOOST_REQUIRE(bool(tests::save(store, {1, 10}, tests::numbers(100, 1))));
  }
  fs::path folder;
  {
    auto copy = SalvagedCopy::make(head);
    BOOST_REQUIRE(bool(copy));
    folder = copy->folder();
    const SalvagedCopy moved = std::move(*copy);
    BOOST_TEST(moved.folder() == folder);
    BOOST_TEST(!table_files(folder).empty());
    BOOST_TEST(!fs::exists(folder / "CURRENT"));
  }
  BOOST_TEST(!fs::exists(folder));
  BOOST_TEST(!table_files(head).empty());
}

BOOST_FIXTURE_TEST_CASE(a_folder_without_tables_gives_none, tests::TempDir) {
  BOOST_TEST((SalvagedCopy::make(path()).error().code == Errc::not_found));
}

// Goal: whoever cannot read a damaged store for want of a place learns which, and what to do.
BOOST_FIXTURE_TEST_CASE(a_place_that_cannot_be_written_is_told, tests::TempDir) {
  const fs::path head = path() / "head";
  {
    auto store = CheckpointStore::open(head, OpenMode::create).value();
    BOOST_REQUIRE(bool(tests::save(store, {1, 10}, tests::numbers(100, 1))));
  }
  fs::remove(head / "CURRENT");
  const fs::path before = fs::temp_directory_path();
  for (const auto& place : {path() / "none", fs::path("/proc")}) {
    ::setenv("TMPDIR", place.c_str(), 1);
    const auto opened = CheckpointStore::open(head, OpenMode::read_only);
    BOOST_REQUIRE(!opened);
    const std::string& why = opened.error().context;
    BOOST_TEST((opened.error().code == Errc::corruption));
    for (const char* told : {"CURRENT is missing", "set TMPDIR", "bytes free"})
      BOOST_TEST(why.find(told) != std::string::npos, why);
  }
  ::setenv("TMPDIR", before.c_str(), 1);
  BOOST_TEST(bool(CheckpointStore::open(head, OpenMode::read_only)));
}

BOOST_AUTO_TEST_SUITE_END()

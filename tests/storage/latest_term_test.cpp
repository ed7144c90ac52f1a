#include "storage/latest_term.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
using tests::numbers;

BOOST_FIXTURE_TEST_SUITE(latest_term_test, tests::TempDir)

BOOST_AUTO_TEST_CASE(without_stores_there_is_none) {
  BOOST_TEST(latest_term(path() / "nowhere") == 0u);
  std::ofstream(path() / "file") << "no store";
  std::filesystem::create_directory(path() / "folder");
  BOOST_TEST(latest_term(path()) == 0u);
  BOOST_REQUIRE(bool(CheckpointStore::open(path() / "head", OpenMode::create)));
  BOOST_TEST(latest_term(path()) == 0u);
}

BOOST_AUTO_TEST_CASE(what_was_never_committed_counts_on_every_node) {
  const auto model = numbers(block_parameters, 1);
  auto head = CheckpointStore::open(path() / "head", OpenMode::create).value();
  BOOST_REQUIRE(bool(tests::save(head, {2, 10}, model)));
  BOOST_TEST(latest_term(path()) == 2u);
  auto other = CheckpointStore::open(path() / "other", OpenMode::create).value();
  BOOST_REQUIRE(bool(tests::write_range(other, {5, 3}, model, 0, block_parameters)));
  BOOST_TEST(latest_term(path()) == 5u);
}

BOOST_AUTO_TEST_CASE(damaged_checkpoints_count) {
  {
    auto head = CheckpointStore::open(path() / "head", OpenMode::create).value();
    BOOST_REQUIRE(bool(tests::save(head, {3, 10}, numbers(block_parameters, 1))));
  }
  for (const auto& file : std::filesystem::directory_iterator(path() / "head"))
    if (file.path().extension() == ".sst") std::filesystem::resize_file(file.path(), 100);
  BOOST_TEST(latest_term(path()) == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

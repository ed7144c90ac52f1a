#include "storage/committed_checkpoints.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(committed_checkpoints_test)

// Goal: the checkpoints of several heads are one list, in the order in which they were taken.
BOOST_FIXTURE_TEST_CASE(all_stores_are_listed_oldest_first, tests::TempDir) {
  auto one = CheckpointStore::open(path() / "one", OpenMode::create).value();
  auto two = CheckpointStore::open(path() / "two", OpenMode::create).value();
  fs::create_directories(path() / "no-store");
  BOOST_REQUIRE(bool(tests::save(two, {1, 20}, tests::numbers(100, 1))));
  BOOST_REQUIRE(bool(tests::save(one, {1, 30}, tests::numbers(100, 2))));
  BOOST_REQUIRE(bool(tests::save(two, {2, 10}, tests::numbers(100, 3))));
  OpenedStores stores(path());
  const auto found = committed_checkpoints(stores);
  BOOST_REQUIRE(bool(found));
  BOOST_TEST(found->stores == (std::vector<std::string>{"one", "two"}));
  BOOST_REQUIRE(found->all.size() == 3u);
  BOOST_TEST((found->all[0].id == CheckpointId{1, 20}));
  BOOST_TEST((found->all[1].id == CheckpointId{1, 30}));
  BOOST_TEST(found->all[1].head == "one");
  BOOST_TEST((found->all[2].id == CheckpointId{2, 10}));
}

BOOST_FIXTURE_TEST_CASE(a_store_beyond_reading_is_told_of_beside_the_others, tests::TempDir) {
  {
    auto store = CheckpointStore::open(path() / "head", OpenMode::create).value();
    BOOST_REQUIRE(bool(tests::save(store, {1, 10}, tests::numbers(100, 1))));
    BOOST_REQUIRE(bool(CheckpointStore::open(path() / "lost", OpenMode::create)));
  }
  fs::resize_file(path() / "lost" / "CURRENT", 0);
  OpenedStores stores(path());
  const auto found = committed_checkpoints(stores);
  BOOST_REQUIRE(bool(found));
  BOOST_TEST(found->all.size() == 1u);
  BOOST_REQUIRE(found->unreadable.size() == 1u);
  BOOST_TEST((found->unreadable[0].code == Errc::corruption));
}

BOOST_FIXTURE_TEST_CASE(nothing_there_is_said, tests::TempDir) {
  OpenedStores absent(path() / "absent"), empty(path());
  BOOST_TEST((committed_checkpoints(absent).error().code == Errc::not_found));
  BOOST_TEST((committed_checkpoints(empty).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

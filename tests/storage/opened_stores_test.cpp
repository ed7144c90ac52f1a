#include "storage/opened_stores.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

BOOST_AUTO_TEST_SUITE(opened_stores_test)

// Goal: what is asked for twice is opened once, and what could not be opened is tried again.
// Method: what came into an open store later is not seen.
BOOST_FIXTURE_TEST_CASE(each_store_is_opened_once, tests::TempDir) {
  auto writer = CheckpointStore::open(path() / "head", OpenMode::create).value();
  BOOST_REQUIRE(bool(tests::save(writer, {1, 10}, tests::numbers(100, 1))));
  OpenedStores stores(path());
  const auto first = stores.of("head");
  BOOST_REQUIRE(bool(first));
  BOOST_TEST((stores.of("other").error().code == Errc::not_found));

  BOOST_REQUIRE(bool(tests::save(writer, {1, 20}, tests::numbers(100, 2))));
  BOOST_REQUIRE(bool(CheckpointStore::open(path() / "other", OpenMode::create)));
  const auto again = stores.of("head");
  BOOST_REQUIRE(bool(again));
  BOOST_TEST(*again == *first);
  BOOST_TEST((*again)->list().size() == 1u);
  BOOST_TEST(bool(stores.of("other")));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/chaos/save_sight.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <vector>

#include "storage/checkpoint_store.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;

BOOST_FIXTURE_TEST_SUITE(save_sight_test, tests::TempDir)

BOOST_AUTO_TEST_CASE(a_table_file_under_way_is_a_save) {
  BOOST_TEST(!is_saving(path() / "absent"));
  BOOST_TEST(!is_saving(path()));
  std::filesystem::create_directories(path() / "shard-0" / "staging");
  std::filesystem::create_directories(path() / "shard-1" / "staging");
  BOOST_TEST(!is_saving(path()));
  write("shard-1/staging/3.sst", "half of it");
  BOOST_TEST(is_saving(path()));
  std::filesystem::remove(path() / "shard-1/staging/3.sst");
  // The mark of a file that is about to go.
  write("shard-1/staging/000012.sst.leaving", "");
  BOOST_TEST(!is_saving(path()));
}

// Goal: what is looked for is what a store does. Method: a store at rest after a part was written.
BOOST_AUTO_TEST_CASE(a_store_at_rest_is_not_saving) {
  auto store = storage::CheckpointStore::open(path() / "shard-0", storage::OpenMode::create);
  BOOST_REQUIRE(bool(store));
  const std::vector<float> values(100, 1.0F);
  BOOST_TEST(bool(store->write_part({.checkpoint = {1, 5}, .version = 5, .first = 0}, values, {})));
  BOOST_TEST(std::filesystem::exists(path() / "shard-0" / "staging"));
  BOOST_TEST(!is_saving(path()));
}

BOOST_AUTO_TEST_SUITE_END()

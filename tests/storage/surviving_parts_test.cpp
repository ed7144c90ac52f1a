#include "storage/surviving_parts.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

namespace surviving_parts_test {

constexpr std::uint64_t half = block_parameters;

/// Checkpoints 10 and 20 of two nodes, of which the head's alone changes, and 30 of the head's
/// only.
struct Checkpoints : tests::TempDir {
  Checkpoints() {
    auto head = CheckpointStore::open(path() / "head", OpenMode::create).value();
    auto other = CheckpointStore::open(path() / "other", OpenMode::create).value();
    for (const std::uint64_t iteration : {10, 20}) {
      const auto model = tests::numbers(2 * half, 1);
      const CheckpointId id{1, iteration};
      const std::string nodes[] = {"head", "other"};
      const PartInfo parts[] = {tests::write_range(head, id, model, 0, half).value(),
                                tests::write_range(other, id, model, half, half).value()};
      BOOST_REQUIRE(bool(head.commit(tests::manifest_of(id, nodes, parts))));
    }
    BOOST_REQUIRE(bool(tests::save(head, {1, 30}, tests::numbers(half, 2))));
  }

  void spoil(Table table, const std::string& key) const {
    const auto store = Database::open(path() / "other", OpenMode::read_write).value();
    Batch batch;
    batch.put(table, key, "nonsense");
    BOOST_REQUIRE(bool(store->write(batch)));
  }
  std::string record_of(std::size_t number) const {
    return Database::open(path() / "other", OpenMode::read_only).value()->catalog("part/")[number];
  }
};

using Ids = std::vector<CheckpointId>;
const CheckpointId first{1, 10}, second{1, 20}, third{1, 30};

}  // namespace surviving_parts_test

BOOST_FIXTURE_TEST_SUITE(surviving_parts_test, Checkpoints)

BOOST_AUTO_TEST_CASE(what_names_nothing_of_a_node_does_not_depend_on_it) {
  BOOST_TEST((surviving_parts(path(), "other").whole == Ids{first, second}));
  BOOST_TEST((surviving_parts(path(), "head").whole == Ids{first, second, third}));
  BOOST_TEST(surviving_parts(path(), "other").incomplete.empty());
  BOOST_TEST(surviving_parts(path(), "stranger").whole.empty());
}

BOOST_AUTO_TEST_CASE(a_damaged_record_costs_one_checkpoint) {
  spoil(Table::catalog, record_of(0));
  const auto parts = surviving_parts(path(), "other");
  BOOST_TEST((parts.incomplete == Ids{first}));
  BOOST_TEST((parts.whole == Ids{second}));
  BOOST_TEST(surviving_parts(path(), "head").incomplete.empty());
}

BOOST_AUTO_TEST_CASE(a_damaged_block_costs_all_that_share_it) {
  spoil(Table::blocks, block_key(1, 0, 1));
  const auto parts = surviving_parts(path(), "other");
  BOOST_TEST((parts.incomplete == Ids{first, second}));
  BOOST_TEST(parts.whole.empty());
}

BOOST_AUTO_TEST_CASE(a_store_that_is_gone_has_nothing) {
  std::filesystem::remove_all(path() / "other");
  BOOST_TEST((surviving_parts(path(), "other").incomplete == Ids{first, second}));
}

BOOST_AUTO_TEST_SUITE_END()

#include "storage/pruning.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "storage/newest_valid.hpp"
#include "storage/pins.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/storage/tree_bytes.hpp"
#include "tests/storage/writer_process.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
using Ids = std::vector<CheckpointId>;

namespace pruning_test {

constexpr std::uint64_t half = 2 * block_parameters;
constexpr double unmeasured = std::numeric_limits<double>::quiet_NaN();

/// Checkpoints whose parts lie in two stores.
struct TwoStores : tests::TempDir {
  Status save(CheckpointId id, double accuracy = unmeasured, std::uint64_t run = 1) const {
    const std::string nodes[] = {"head", "aside"};
    const auto model = tests::numbers(2 * half, id.iteration);
    std::vector<PartInfo> parts;
    for (std::uint64_t i = 0; i < 2; ++i) {
      auto store = CheckpointStore::open(path() / nodes[i], OpenMode::create);
      if (!store) return store.error();
      parts.push_back(tests::write_range(*store, id, model, i * half, half).value());
    }
    return head()->commit(
        tests::with_accuracy(tests::manifest_of(id, nodes, parts, run), accuracy));
  }
  void save_all(std::initializer_list<double> accuracies) const {
    std::uint64_t k = 0;
    for (const double accuracy : accuracies) BOOST_REQUIRE(bool(save({1, ++k}, accuracy)));
  }
  Result<CheckpointStore> head() const {
    return CheckpointStore::open(path() / "head", OpenMode::read_write);
  }
  /// Those that are there; each of them is whole.
  Ids whole() const {
    const auto ids = CheckpointStore::open(path() / "head", OpenMode::read_only)->list();
    for (const CheckpointId id : ids) BOOST_TEST(bool(verify(path(), "head", id)), to_string(id));
    return ids;
  }
  std::uint64_t bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path()))
      if (entry.path().extension() == ".sst") bytes += entry.file_size();
    return bytes;
  }
  void damage(std::string_view prefix, std::size_t index) const {
    const auto store = Database::open(path() / "head", OpenMode::read_write).value();
    Batch batch;
    batch.put(Table::catalog, store->catalog(prefix).at(index), "nonsense");
    BOOST_REQUIRE(bool(store->write(batch)));
  }
};

Ids ids_in(const PruningPlan& plan, bool kept) {
  Ids ids;
  for (const auto& entry : plan.entries)
    if (entry.because.any() == kept) ids.push_back(entry.checkpoint.id);
  return ids;
}

}  // namespace pruning_test

BOOST_FIXTURE_TEST_SUITE(pruning_test, TwoStores)

BOOST_AUTO_TEST_CASE(a_run_keeps_what_its_rules_want_and_leaves_other_runs_alone) {
  BOOST_REQUIRE(bool(save({1, 1}, 0.1, 1)));
  BOOST_REQUIRE(bool(save({2, 1}, 0.9, 2)));
  for (std::uint64_t k = 2; k <= 5; ++k) BOOST_REQUIRE(bool(save({2, k}, 0.5, 2)));
  auto store = head();
  const auto kept = prune_run(*store, {.newest = 1, .best = 1, .every = 3}, 2);
  BOOST_REQUIRE(bool(kept));
  BOOST_TEST((*kept == Ids{{1, 1}, {2, 1}, {2, 3}, {2, 5}}));
  BOOST_TEST((store->list() == *kept));
}

// Goal: pins hold in a running job, and those of checkpoints that another head's store has are
// handed on to the nodes that have their parts.
BOOST_AUTO_TEST_CASE(a_run_keeps_what_is_pinned) {
  save_all({0.1, 0.2, 0.3, 0.4});
  BOOST_REQUIRE(bool(pin_checkpoint(path(), {1, 2})));
  write("pins/1-3", "");
  write("pins/9-9", "");
  auto store = head();
  BOOST_REQUIRE(bool(store->remove({1, 3})));
  const auto kept = prune_run(*store, {.newest = 1}, 1);
  BOOST_REQUIRE(bool(kept));
  BOOST_TEST((*kept == Ids{{1, 2}, {1, 4}, {1, 3}}));
  BOOST_TEST((store->list() == Ids{{1, 2}, {1, 4}}));
}

BOOST_AUTO_TEST_CASE(a_run_removes_nothing_while_somebody_pins_or_pins_cannot_be_read) {
  save_all({0.1, 0.2, 0.3});
  auto store = head();
  {
    const auto lock = PinLock::acquire(path());
    BOOST_TEST((prune_run(*store, {.newest = 1}, 1).error().code == Errc::overloaded));
  }
  std::filesystem::remove_all(path() / "pins");
  write("pins", "no folder");
  BOOST_TEST((prune_run(*store, {.newest = 1}, 1).error().code == Errc::io_error));
  BOOST_TEST(store->list().size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_plan_changes_nothing_and_is_carried_out_in_all_stores) {
  save_all({0.9, 0.5, 0.8, unmeasured, 0.7, unmeasured});
  BOOST_REQUIRE(bool(pin_checkpoint(path(), {1, 2})));
  const auto before = tests::tree_bytes(path());
  const RetentionRules rules{.newest = 1, .best = 1, .every = 4};
  const auto plan = plan_pruning(path(), rules);
  BOOST_REQUIRE(bool(plan));
  BOOST_TEST((ids_in(*plan, true) == Ids{{1, 1}, {1, 2}, {1, 4}, {1, 6}}));
  BOOST_TEST((tests::tree_bytes(path()) == before));
  const std::uint64_t all = bytes();
  const auto pruned = prune_stores(path(), rules);
  BOOST_REQUIRE(bool(pruned));
  BOOST_TEST((ids_in(*pruned, false) == Ids{{1, 3}, {1, 5}}));
  BOOST_TEST((whole() == ids_in(*plan, true)));
  BOOST_TEST(bytes() < all * 3 / 4);
}

// Goal: whatever is asked for, there is something to resume from.
BOOST_AUTO_TEST_CASE(the_newest_whole_one_always_stays) {
  save_all({0.9, 0.8, 0.7, 0.6});
  damage(part_prefix, 3);
  // Never committed, so nothing refers to it.
  const auto model = tests::numbers(half, 5);
  {
    auto store = head();
    BOOST_REQUIRE(bool(tests::write_range(*store, {1, 5}, model, 0, half)));
  }
  const std::uint64_t all = bytes();
  const auto pruned = prune_stores(path(), {.newest = 0});
  BOOST_REQUIRE_MESSAGE(pruned, (pruned ? "" : pruned.error().context));
  BOOST_TEST((whole() == Ids{{1, 3}}));
  BOOST_TEST(bytes() < all / 3);
}

BOOST_AUTO_TEST_CASE(nothing_is_removed_where_nothing_is_whole) {
  save_all({0.9, 0.8});
  damage(manifest_prefix, 0);
  damage(manifest_prefix, 1);
  BOOST_TEST((prune_stores(path(), {.newest = 1}).error().code == Errc::corruption));
  BOOST_TEST(head()->list().size() == 2u);
  const tests::TempDir empty;
  BOOST_TEST((prune_stores(empty.path(), {}).error().code == Errc::not_found));
}

// Case E1.
BOOST_AUTO_TEST_CASE(a_store_that_somebody_writes_to_is_named_and_nothing_removed) {
  save_all({0.9, 0.8});
  const auto held = CheckpointStore::open(path() / "aside", OpenMode::read_write);
  const auto pruned = prune_stores(path(), {.newest = 1});
  BOOST_REQUIRE(!pruned);
  BOOST_TEST((pruned.error().code == Errc::already_exists));
  BOOST_TEST(pruned.error().context.find((path() / "aside").string()) != std::string::npos);
  BOOST_TEST(bool(plan_pruning(path(), {.newest = 1})));
  BOOST_TEST(whole().size() == 2u);
}

// Goal: killed at any moment of removing, what was to be kept is whole, and the next try removes
// the rest. Method: die before each of the files that go.
BOOST_AUTO_TEST_CASE(a_kill_in_the_midst_leaves_valid_stores) {
  int killed = 0;
  for (bool again = true; again; killed += again) {
    const TwoStores files;
    files.save_all({unmeasured, unmeasured, unmeasured, unmeasured});
    tests::WriterProcess writer("prune" + std::to_string(killed + 1), files.path());
    again = writer.was_killed();
    // None of those that are listed has lost a part.
    BOOST_TEST((files.whole().back() == CheckpointId{1, 4}));
    const auto pruned = prune_stores(files.path(), {.newest = 1});
    BOOST_REQUIRE_MESSAGE(pruned, (pruned ? "" : pruned.error().context));
    BOOST_TEST((files.whole() == Ids{{1, 4}}));
    BOOST_TEST(files.bytes() < 2 * 2 * 2 * half * sizeof(float));
    BOOST_REQUIRE(bool(files.save({1, 5})));
  }
  BOOST_TEST(killed > 6);
}

// Goal: no manifest of one store goes because another store has an older claim to its name. Method:
// a third store has a checkpoint of the same name as one of the first.
BOOST_AUTO_TEST_CASE(one_of_the_same_name_in_another_store_costs_nothing) {
  save_all({0.1, 0.2});
  {
    auto third = CheckpointStore::open(path() / "third", OpenMode::create);
    BOOST_REQUIRE(bool(tests::save(*third, {1, 2}, tests::numbers(half, 7))));
  }
  BOOST_REQUIRE(bool(prune_stores(path(), {.newest = 1})));
  BOOST_TEST((whole() == Ids{{1, 2}}));
  BOOST_TEST(bool(verify(path(), "third", {1, 2})));
}

// Goal: the nodes keep their parts of what an earlier head of the directory has committed.
BOOST_AUTO_TEST_CASE(a_run_keeps_what_another_head_has_committed) {
  save_all({0.1, 0.2, 0.3});
  {
    auto third = CheckpointStore::open(path() / "third", OpenMode::create);
    BOOST_REQUIRE(bool(tests::save(*third, {0, 9}, tests::numbers(half, 7))));
  }
  auto store = head();
  const auto kept = prune_run(*store, {.newest = 1}, 1);
  BOOST_REQUIRE(bool(kept));
  BOOST_TEST((*kept == Ids{{1, 3}, {0, 9}}));
}

BOOST_AUTO_TEST_CASE(a_store_that_is_away_is_not_taken_for_damage) {
  save_all({0.1, 0.2, 0.3});
  std::filesystem::rename(path() / "aside", path() / "away");
  std::filesystem::create_directory(path() / "elsewhere");
  std::filesystem::rename(path() / "away", path() / "elsewhere" / "aside");
  const auto pruned = prune_stores(path(), {.newest = 1});
  BOOST_REQUIRE(!pruned);
  BOOST_TEST((pruned.error().code == Errc::not_found));
  BOOST_TEST(pruned.error().context.find("aside") != std::string::npos);
  std::filesystem::rename(path() / "elsewhere" / "aside", path() / "aside");
  BOOST_TEST(whole().size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

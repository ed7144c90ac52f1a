#include "storage/checkpoint_copy.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/checkpoint_reader.hpp"
#include "storage/newest_valid.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/storage/tree_bytes.hpp"
#include "tests/storage/writer_process.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
namespace fs = std::filesystem;

namespace checkpoint_copy_test {

// Two parts of a copy, which are not the two of the source.
constexpr std::uint64_t first_part = 40 * block_parameters;
constexpr std::uint64_t parameters = 130 * block_parameters + 7;
constexpr std::uint64_t model_bytes = 2 * parameters * sizeof(float);

const auto never = [] { return false; };

/// A checkpoint in the stores of two nodes, in `path()`/from.
struct Source : tests::TempDir {
  Source() { save({1, 10}); }

  void save(CheckpointId id) {
    const std::string nodes[] = {"head", "other"};
    std::vector<PartInfo> parts;
    for (const std::string& node : nodes) {
      auto store = CheckpointStore::open(from / node, OpenMode::create).value();
      const std::uint64_t first = parts.empty() ? 0 : first_part;
      const std::uint64_t end = parts.empty() ? first_part : parameters;
      parts.push_back(tests::write_range(store, id, model, first, end - first).value());
    }
    auto head = CheckpointStore::open(from / "head", OpenMode::read_write).value();
    const auto plain = tests::manifest_of(id, nodes, parts, 1);
    BOOST_REQUIRE(bool(head.commit(tests::with_accuracy(plain, 0.75))));
  }
  Result<CopiedCheckpoint> copy(CheckpointId id = {1, 10},
                                const std::function<bool()>& stop = never) const {
    const auto stores = std::make_shared<OpenedStores>(from);
    const auto manifest = (*stores->of("head"))->manifest(id).value();
    auto destination = CheckpointStore::open(to / "copy", OpenMode::create).value();
    return copy_checkpoint(stores, manifest, destination, stop);
  }
  std::vector<CheckpointId> copies() const {
    return CheckpointStore::open(to / "copy", OpenMode::read_only)->list();
  }
  /// Whether the newest copy is whole and has the numbers of `model`.
  bool is_equal() const {
    const auto found = newest_valid(to, "copy");
    if (!found || !found->skipped.empty()) return false;
    const auto reader = CheckpointReader::open(to, found->manifest);
    std::vector<float> values(parameters), slot(parameters);
    const std::span<float> slots[] = {slot};
    return reader && reader->read(0, values, slots) && values == model.values &&
           slot == model.slots.front();
  }

  const fs::path from = path() / "from";
  const fs::path to = path() / "to";
  tests::Numbers model = tests::numbers(parameters, 1);
};

}  // namespace checkpoint_copy_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_copy_test, Source)

BOOST_AUTO_TEST_CASE(a_copy_is_equal_but_for_where_it_lies) {
  const auto before = tests::tree_bytes(from);
  const auto copied = copy();
  BOOST_REQUIRE_MESSAGE(copied, (copied ? "" : copied.error().context));
  BOOST_TEST(copied->parts == 2u);
  BOOST_TEST(copied->written_bytes == model_bytes);
  BOOST_TEST(is_equal());
  BOOST_TEST((tests::tree_bytes(from) == before));
  const auto copied_manifest =
      CheckpointStore::open(to / "copy", OpenMode::read_only)->manifest({1, 10});
  copied_manifest->read([](schema::CheckpointManifest::Reader read) {
    BOOST_TEST(read.getAccuracy() == 0.75);
    // It is no checkpoint of the run any more, which would remove it as one of its older ones.
    BOOST_TEST(read.getRunTerm() == 0u);
    BOOST_TEST(read.getJob().getName().cStr() == "sample");
    for (const auto part : read.getParts()) BOOST_TEST(part.getNode().cStr() == "copy");
  });
}

// Goal: what a run copies for itself stays its own, step by step, in the order of its terms.
BOOST_AUTO_TEST_CASE(a_run_s_own_copy_counts_as_its_own) {
  const auto stores = std::make_shared<OpenedStores>(from);
  const auto manifest = (*stores->of("head"))->manifest({1, 10}).value();
  {
    auto destination = CheckpointStore::open(to / "copy", OpenMode::create).value();
    auto copying =
        CheckpointCopying::begin(stores, manifest, destination, CopyOwner::its_run).value();
    for (const bool done : {false, false, true}) {
      BOOST_TEST(destination.list().empty());
      BOOST_TEST(copying.step().value() == done);
    }
    BOOST_TEST(copying.copied().written_bytes == model_bytes);
  }
  BOOST_TEST(is_equal());
  BOOST_TEST(
      run_of(CheckpointStore::open(to / "copy", OpenMode::read_only)->manifest({1, 10}).value()) ==
      1u);
  // The same checkpoint, whoever copies it.
  BOOST_TEST(copy()->was_there);
  auto destination = CheckpointStore::open(to / "copy", OpenMode::read_write).value();
  BOOST_REQUIRE(bool(destination.fence(2)));
  BOOST_REQUIRE(bool(destination.remove({1, 10})));
  auto late = CheckpointCopying::begin(stores, manifest, destination, CopyOwner::its_run).value();
  BOOST_TEST((late.step().error().code == Errc::stale));
}

BOOST_AUTO_TEST_CASE(what_is_there_and_whole_is_done) {
  BOOST_REQUIRE(bool(copy()));
  const auto again = copy();
  BOOST_REQUIRE(bool(again));
  BOOST_TEST(again->was_there);
  BOOST_TEST(again->written_bytes == 0u);
  BOOST_TEST(is_equal());
}

BOOST_AUTO_TEST_CASE(what_did_not_change_is_not_written_again) {
  BOOST_REQUIRE(bool(copy()));
  model.values[parameters - 1] += 1;
  save({1, 20});
  const auto copied = copy({1, 20});
  BOOST_REQUIRE(bool(copied));
  BOOST_TEST(copied->written_bytes == 7 * sizeof(float));
  BOOST_TEST(is_equal());
  BOOST_TEST((copies() == std::vector<CheckpointId>{{1, 10}, {1, 20}}));
}

BOOST_AUTO_TEST_CASE(older_ones_are_copied_after_newer_ones) {
  model.values[0] += 1;
  save({3, 5});
  BOOST_REQUIRE(bool(copy({3, 5})));
  const auto older = copy({1, 10});
  BOOST_REQUIRE_MESSAGE(older, (older ? "" : older.error().context));
  BOOST_TEST((copies() == std::vector<CheckpointId>{{1, 10}, {3, 5}}));
  BOOST_TEST(is_equal());
}

// Goal: a copy appears only when it is whole, and one that was interrupted goes on.
BOOST_AUTO_TEST_CASE(a_copy_that_was_stopped_is_not_there_and_goes_on) {
  int asked = 0;
  const auto stopped = copy({1, 10}, [&asked] { return ++asked == 2; });
  BOOST_REQUIRE(bool(stopped));
  BOOST_TEST(stopped->stopped);
  BOOST_TEST(copies().empty());
  const auto copied = copy();
  BOOST_REQUIRE(bool(copied));
  BOOST_TEST(copied->shared_bytes == 128 * block_parameters * 2 * sizeof(float));
  BOOST_TEST(copied->shared_bytes + copied->written_bytes == model_bytes);
  BOOST_TEST(is_equal());
}

BOOST_AUTO_TEST_CASE(another_checkpoint_of_the_same_name_is_not_replaced) {
  BOOST_REQUIRE(bool(copy()));
  fs::remove_all(from);
  const tests::Numbers copied = std::exchange(model, tests::numbers(parameters, 2));
  {
    auto store = CheckpointStore::open(from / "head", OpenMode::create).value();
    BOOST_REQUIRE(bool(tests::save(store, {1, 10}, model)));
  }
  BOOST_TEST((copy().error().code == Errc::already_exists));
  model = copied;
  BOOST_TEST(is_equal());
}

BOOST_AUTO_TEST_CASE(a_damaged_source_leaves_no_copy) {
  {
    const auto other = Database::open(from / "other", OpenMode::read_write).value();
    Batch batch;
    batch.put(Table::blocks, other->files(Table::blocks).front().last, "nonsense");
    BOOST_REQUIRE(bool(other->write(batch)));
  }
  BOOST_TEST((copy().error().code == Errc::corruption));
  BOOST_TEST(copies().empty());
}

BOOST_AUTO_TEST_CASE(a_damaged_copy_is_made_anew) {
  for (const Table table : {Table::catalog, Table::blocks}) {
    BOOST_REQUIRE(bool(copy()));
    {
      const auto store = Database::open(to / "copy", OpenMode::read_write).value();
      Batch batch;
      batch.put(table,
                table == Table::catalog ? manifest_key({1, 10})
                                        : store->files(Table::blocks).front().first,
                "nonsense");
      BOOST_REQUIRE(bool(store->write(batch)));
    }
    BOOST_TEST(!is_equal());
    const auto again = copy();
    BOOST_REQUIRE_MESSAGE(again, (again ? "" : again.error().context));
    BOOST_TEST(!again->was_there);
    BOOST_TEST(is_equal());
  }
}

// Method: killed as each of its files enters the store.
BOOST_AUTO_TEST_CASE(a_killed_copy_leaves_nothing_that_is_taken_for_one) {
  int killed = 0;
  for (bool again = true; again; killed += again) {
    fs::remove_all(to);
    tests::WriterProcess writer("copy" + std::to_string(killed + 1), path());
    again = writer.was_killed();
    if (!copies().empty()) BOOST_TEST(is_equal());
    const auto copied = copy();
    BOOST_REQUIRE_MESSAGE(copied, (copied ? "" : copied.error().context));
    BOOST_TEST(is_equal());
  }
  BOOST_TEST(killed == 5);
}

BOOST_AUTO_TEST_SUITE_END()

// A disk that is full in the midst of a save, wherever that is: nothing that was valid is lost, the
// error says what to do, and the next save works once there is room.
#include <boost/test/unit_test.hpp>

#include "storage/newest_valid.hpp"
#include "storage/pins.hpp"
#include "storage/pruning.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

using tests::NeedsSmallDisk;
BOOST_GLOBAL_FIXTURE(NeedsSmallDisk);

namespace full_disk_test {

constexpr std::uint64_t parameters = 4 * block_parameters + 9;
constexpr std::uint64_t model_bytes = 2 * parameters * sizeof(float);

struct FullDisk : tests::TempDir {
  const tests::SmallDisk disk{path(), 8 * model_bytes};
  const std::filesystem::path head = path() / "head";

  bool names_the_place_and_the_remedy(const Error& error) const {
    return error.code == Errc::io_error &&
           error.context.find(path().string()) != std::string::npos &&
           error.context.find("No space left") != std::string::npos &&
           error.context.find("free space on its disk") != std::string::npos;
  }
  bool newest_is(std::uint64_t iteration) const {
    const auto found = newest_valid(path(), "head");
    return found && found->skipped.empty() && id_of(found->manifest).iteration == iteration &&
           bool(verify(path(), "head", {1, iteration}));
  }
};

}  // namespace full_disk_test

BOOST_FIXTURE_TEST_SUITE(full_disk_test, FullDisk)

// Method: a page less room each time, from enough to none, so that each file of a save and each
// entry in RocksDB's bookkeeping is once the one that does not fit.
BOOST_AUTO_TEST_CASE(a_save_that_finds_no_room_costs_nothing_but_itself) {
  auto store = CheckpointStore::open(head, OpenMode::create).value();
  BOOST_REQUIRE(bool(tests::save(store, {1, 1}, tests::numbers(parameters, 1))));
  std::uint64_t newest = 1;
  std::size_t of_parts = 0, of_manifests = 0;
  for (std::uint64_t room = model_bytes + (256 << 10); room > 0;
       room -=
       std::min<std::uint64_t>(room, room > model_bytes - (64 << 10) ? 4 << 10 : 128 << 10)) {
    BOOST_TEST_CONTEXT("room for " << room << " bytes") {
      const CheckpointId next{1, newest + 1};
      const auto model = tests::numbers(parameters, next.iteration);
      disk.fill(room);
      const auto part = tests::write_range(store, next, model, 0, parameters);
      Status saved = part ? ok() : Status(part.error());
      if (part) {
        const std::string node = "head";
        saved = store.commit(tests::manifest_of(next, std::span(&node, 1), std::span(&*part, 1)));
      }
      if (!saved) {
        ++(part ? of_manifests : of_parts);
        BOOST_TEST(names_the_place_and_the_remedy(saved.error()), saved.error().context);
        BOOST_TEST(newest_is(newest));
        disk.release();
        const Status again = tests::save(store, next, model);
        BOOST_REQUIRE_MESSAGE(again, (again ? "" : again.error().context));
      }
      disk.release();
      newest = next.iteration;
      BOOST_TEST(newest_is(newest));
      const auto kept = prune_run(store, {.newest = 1}, 0);
      BOOST_REQUIRE_MESSAGE(kept, (kept ? "" : kept.error().context));
    }
  }
  BOOST_TEST(of_parts > 0u);
  BOOST_TEST(of_manifests > 0u);
}

// Goal: whoever finds the disk full may end, and who comes next finds what was there.
BOOST_AUTO_TEST_CASE(a_store_that_was_full_opens_again) {
  {
    auto store = CheckpointStore::open(head, OpenMode::create).value();
    BOOST_REQUIRE(bool(tests::save(store, {1, 1}, tests::numbers(parameters, 1))));
    disk.fill(model_bytes / 2);
    BOOST_TEST(!tests::save(store, {1, 2}, tests::numbers(parameters, 2)));
    disk.fill();
  }
  BOOST_TEST(newest_is(1));
  const auto refused = CheckpointStore::open(head, OpenMode::read_write);
  if (!refused)
    BOOST_TEST(names_the_place_and_the_remedy(refused.error()), refused.error().context);
  disk.release();
  auto store = CheckpointStore::open(head, OpenMode::read_write);
  BOOST_REQUIRE_MESSAGE(store, (store ? "" : store.error().context));
  BOOST_REQUIRE(bool(tests::save(*store, {1, 2}, tests::numbers(parameters, 2))));
  BOOST_TEST(newest_is(2));
}

// Goal: no half of a store is taken for one.
BOOST_AUTO_TEST_CASE(a_store_that_finds_no_room_at_first_begins_later) {
  disk.fill();
  const auto refused = CheckpointStore::open(head, OpenMode::create);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::io_error), refused.error().context);
  disk.release();
  auto store = CheckpointStore::open(head, OpenMode::create);
  BOOST_REQUIRE_MESSAGE(store, (store ? "" : store.error().context));
  BOOST_REQUIRE(bool(tests::save(*store, {1, 1}, tests::numbers(parameters, 1))));
  BOOST_TEST(newest_is(1));
}

BOOST_AUTO_TEST_CASE(a_pin_that_finds_no_room_is_an_error_and_no_pin) {
  auto store = CheckpointStore::open(head, OpenMode::create).value();
  BOOST_REQUIRE(bool(tests::save(store, {1, 1}, tests::numbers(parameters, 1))));
  disk.fill();
  const auto pinned = pin_checkpoint(path(), {1, 1});
  if (pinned)
    BOOST_TEST(pinned_checkpoints(path())->size() == 1u);
  else
    BOOST_TEST((pinned.error().code == Errc::io_error), pinned.error().context);
  disk.release();
  BOOST_TEST(bool(pin_checkpoint(path(), {1, 1})));
  BOOST_TEST(pinned_checkpoints(path())->size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

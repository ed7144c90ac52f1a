#include "actors/system/checkpoint_copier.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "runtime/simulation/simulation.hpp"
#include "storage/newest_valid.hpp"
#include "storage/pins.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::actors;
using namespace slime::storage;
using runtime::Message;

namespace checkpoint_copier_test {

constexpr std::uint64_t parameters = 130 * block_parameters;  // Two steps, and one to commit.

/// A job's store, of a run that began in term 1, and its copier.
struct Copying : tests::TempDir {
  Copying() {
    std::filesystem::create_directory(second);
    save({1, 10});
  }

  void save(CheckpointId id) {
    auto store = CheckpointStore::open(first / "head", OpenMode::create).value();
    BOOST_REQUIRE(bool(tests::save(store, id, tests::numbers(parameters, id.iteration), 1)));
  }
  CheckpointCopier start() {
    const auto spec = Message<schema::CopierSpec>::make([this](auto root) {
      root.setDirectory(first.string());
      root.setCopyTo(second.string());
      root.setNode("head");
    });
    const auto type = runtime::actor_type<CheckpointCopierActor, schema::CopierSpec>("copier");
    return {simulation.spawn(node, type, spec.any()).value()};
  }
  static Message<schema::CopyCheckpoint> request(CheckpointId id, std::uint64_t term = 1) {
    return Message<schema::CopyCheckpoint>::make([&](auto root) {
      root.initCheckpoint().setTerm(id.term);
      root.getCheckpoint().setIteration(id.iteration);
      root.setTerm(term);
      root.setKeep(2);
    });
  }
  auto copy(CheckpointId id, std::uint64_t term = 1) {
    return simulation.call(copier, request(id, term));
  }
  Errc failure(CheckpointId id, std::uint64_t term = 1) {
    const auto copied = copy(id, term);
    if (copied) return Errc{};
    BOOST_TEST_MESSAGE(copied.error().context);
    return copied.error().code;
  }
  /// Those that are there, each of which is whole.
  std::vector<CheckpointId> copies() const {
    const auto store = CheckpointStore::open(second / "head", OpenMode::read_only);
    if (!store) return {};
    for (const CheckpointId id : store->list())
      BOOST_TEST(bool(verify(second, "head", id)), to_string(id));
    return store->list();
  }

  const std::filesystem::path first = path() / "first", second = path() / "second";
  runtime::Simulation simulation{1};
  const NodeId node = simulation.add_node("head");
  CheckpointCopier copier = start();
};

}  // namespace checkpoint_copier_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_copier_test, Copying)

// Goal: the rules hold at the second place as well, where what somebody pinned stays too.
BOOST_AUTO_TEST_CASE(a_run_keeps_as_many_copies_as_its_rules_want) {
  BOOST_TEST((failure({1, 10}) == Errc{}));
  BOOST_REQUIRE(bool(pin_checkpoint(second, {1, 10})));
  for (const std::uint64_t iteration : {20, 30, 40}) {
    save({1, iteration});
    BOOST_TEST((failure({1, iteration}) == Errc{}));
  }
  BOOST_TEST((copies() == std::vector<CheckpointId>{{1, 10}, {1, 30}, {1, 40}}));
  // The store is nobody's between two copies.
  BOOST_TEST(bool(CheckpointStore::open(second / "head", OpenMode::read_write)));
}

BOOST_AUTO_TEST_CASE(what_is_there_is_copied_once) {
  BOOST_REQUIRE(bool(copy({1, 10})));
  const auto again = copy({1, 10});
  BOOST_REQUIRE(bool(again));
  again->read([](auto read) { BOOST_TEST(read.getWrittenBytes() == 0u); });
}

// Goal: one at a time; who asks again for what is being copied hears of that copy's end.
BOOST_AUTO_TEST_CASE(another_one_waits_its_turn) {
  save({1, 20});
  int done = 0;
  for (int i = 0; i < 2; ++i)
    simulation.ask(copier.address, request({1, 10}).any(), std::chrono::minutes(1),
                   [&](const runtime::AnyMessage& answer) {
                     BOOST_TEST(!runtime::failure_of(answer).has_value());
                     ++done;
                   });
  BOOST_TEST((failure({1, 20}) == Errc::overloaded));
  BOOST_TEST(simulation.run_until([&] { return done == 2; }, std::chrono::minutes(1)));
  BOOST_TEST((failure({1, 20}) == Errc{}));
}

// Goal: a place that is not there is never made, for it would be made on the wrong disk; once it is
// back the copy is made.
BOOST_AUTO_TEST_CASE(a_place_that_is_away_fails_the_copy_and_is_used_again) {
  const auto away = path() / "away";
  std::filesystem::rename(second, away);
  BOOST_TEST((failure({1, 10}) == Errc::not_found));
  BOOST_TEST(!std::filesystem::exists(second));
  std::filesystem::rename(away, second);
  BOOST_TEST((failure({1, 10}) == Errc{}));
  // The mount point without what is mounted there.
  std::filesystem::rename(second, away);
  std::filesystem::create_directory(second);
  save({1, 20});
  BOOST_TEST((failure({1, 20}) == Errc::not_found));
  BOOST_TEST(std::filesystem::is_empty(second));
  std::filesystem::remove(second);
  std::filesystem::rename(away, second);
  BOOST_TEST((failure({1, 20}) == Errc{}));
  BOOST_TEST((copies() == std::vector<CheckpointId>{{1, 10}, {1, 20}}));
}

BOOST_AUTO_TEST_CASE(a_place_that_cannot_be_written_is_an_error) {
  std::ofstream(second / "head") << "no folder";
  BOOST_TEST((failure({1, 10}) != Errc{}));
  std::filesystem::remove(second / "head");
  BOOST_TEST((failure({1, 10}) == Errc{}));
}

// Goal: its end does not wait for a whole copy, and the next one goes on with what is there.
BOOST_AUTO_TEST_CASE(a_copier_that_dies_leaves_nothing_that_is_taken_for_a_copy) {
  bool answered = false;
  simulation.ask(copier.address, request({1, 10}).any(), std::chrono::minutes(1),
                 [&](const runtime::AnyMessage&) { answered = true; });
  while (!std::filesystem::exists(second / "head")) BOOST_REQUIRE(simulation.step());
  BOOST_TEST(!answered);
  BOOST_TEST(bool(simulation.kill_actor(copier.address, {Errc::internal, "by the test"})));
  BOOST_TEST(copies().empty());
  copier = start();
  const auto copied = copy({1, 10});
  BOOST_REQUIRE(bool(copied));
  copied->read([](auto read) { BOOST_TEST(read.getSharedBytes() > 0u); });
  BOOST_TEST((copies() == std::vector<CheckpointId>{{1, 10}}));
}

// Goal: a copy that could never be finished does not fill the disk for ever.
BOOST_AUTO_TEST_CASE(what_an_unfinished_copy_left_is_cleared_for_the_next_one) {
  {
    auto store = CheckpointStore::open(second / "head", OpenMode::create).value();
    const auto model = tests::numbers(parameters, 5);
    BOOST_REQUIRE(bool(tests::write_range(store, {1, 5}, model, 0, 128 * block_parameters)));
  }
  BOOST_TEST((failure({1, 10}) == Errc{}));
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(second / "head"))
    if (entry.path().extension() == ".sst") bytes += entry.file_size();
  BOOST_TEST(bytes < 3 * parameters * sizeof(float));
}

// Goal: who was declared dead copies and removes nothing any more once its successor copied, not
// even where the very checkpoint is there.
BOOST_AUTO_TEST_CASE(a_coordinator_of_an_earlier_term_is_refused) {
  save({1, 20});
  save({3, 15});
  BOOST_TEST((failure({3, 15}, 3) == Errc{}));
  BOOST_TEST((failure({1, 20}, 1) == Errc::stale));
  BOOST_TEST((failure({3, 15}, 2) == Errc::stale));
  BOOST_TEST((copies() == std::vector<CheckpointId>{{3, 15}}));
}

BOOST_AUTO_TEST_CASE(what_was_removed_meanwhile_is_said_to_be) {
  BOOST_TEST((failure({1, 11}) == Errc::not_found));
  auto damaged = Database::open(first / "head", OpenMode::read_write).value();
  Batch batch;
  batch.put(Table::blocks, damaged->files(Table::blocks).front().first, "nonsense");
  BOOST_REQUIRE(bool(damaged->write(batch)));
  damaged.reset();
  BOOST_TEST((failure({1, 10}) == Errc::corruption));
  BOOST_TEST(copies().empty());
}

BOOST_AUTO_TEST_SUITE_END()

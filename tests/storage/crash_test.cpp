// kill -9 at random moments of writing: what was acknowledged is there, what was not is not seen.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "runtime/base/random.hpp"
#include "storage/checkpoint_reader.hpp"
#include "storage/newest_valid.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/storage/writer_process.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

namespace crash_test {

constexpr int rounds = 50;

/// Lets the writer say its first number, kills it a little later and returns the last it said.
std::uint64_t run_and_kill(const std::string& verb, const std::filesystem::path& folder,
                           Random& random) {
  tests::WriterProcess writer(verb, folder);
  std::uint64_t last = 0;
  if (const auto first = writer.line()) last = std::stoull(*first);
  std::this_thread::sleep_for(std::chrono::microseconds(random.below(60'000)));
  writer.kill();
  while (const auto line = writer.line()) last = std::stoull(*line);
  return last;
}

std::size_t table_files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::ranges::count_if(std::filesystem::directory_iterator(folder),
                            [](const auto& entry) { return entry.path().extension() == ".sst"; }));
}

/// Three checkpoints, and what is there after a writer was killed at a given moment.
struct KilledHalfway : tests::TempDir {
  KilledHalfway() {
    auto store = CheckpointStore::open(head, OpenMode::create).value();
    for (const std::uint64_t k : {1, 2, 3})
      BOOST_REQUIRE(bool(tests::save(store, {1, k}, tests::numbers(100, k))));
  }

  /// None of the files that the writer left is taken for a lost one: a repair would bring back
  /// what had been removed.
  void expect(const std::string& verb, const std::vector<CheckpointId>& there,
              std::size_t files_left, std::size_t files_of_store) {
    tests::WriterProcess writer(verb, head);
    BOOST_REQUIRE(writer.was_killed());
    BOOST_TEST(table_files_in(head) == files_left);
    BOOST_TEST((CheckpointStore::open(head, OpenMode::read_only)->list() == there));
    const auto found = newest_valid(path(), "head");
    BOOST_TEST((found && id_of(found->manifest) == CheckpointId{1, 3}));
    const auto store = CheckpointStore::open(head, OpenMode::read_write);
    BOOST_REQUIRE_MESSAGE(store, (store ? "" : store.error().context));
    BOOST_TEST((store->list() == there));
    BOOST_TEST(table_files_in(head) == files_of_store);
  }

  const std::filesystem::path head = path() / "head";
};

}  // namespace crash_test

BOOST_AUTO_TEST_SUITE(crash_test)

BOOST_FIXTURE_TEST_CASE(a_killed_save_resumes_from_the_newest_complete_checkpoint, tests::TempDir) {
  Random random(11);
  std::uint64_t previous = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t said = run_and_kill("save", path() / "head", random);
    BOOST_REQUIRE(said > previous);
    const auto found = newest_valid(path(), "head");
    BOOST_REQUIRE(bool(found));
    BOOST_TEST(found->skipped.empty());
    const std::uint64_t k = id_of(found->manifest).iteration;
    BOOST_TEST(k >= said);
    const std::uint64_t count = parameters_of(found->manifest);
    std::vector<float> values(count);
    const auto reader = CheckpointReader::open(path(), found->manifest);
    BOOST_REQUIRE(bool(reader->read(0, values, {})));
    BOOST_TEST((values == tests::numbers(count, k).values));
    previous = k;
  }
  const auto store = CheckpointStore::open(path() / "head", OpenMode::read_write);
  BOOST_REQUIRE(bool(store));
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path()))
    if (entry.path().extension() == ".sst") bytes += entry.file_size();
  const std::uint64_t model = 2 * (24 * block_parameters + 5) * sizeof(float);
  BOOST_TEST(bytes < 5 * model);
}

BOOST_FIXTURE_TEST_CASE(a_killed_actor_keeps_state_and_replies_in_step, tests::TempDir) {
  Random random(12);
  for (int round = 0; round < rounds / 10; ++round) {
    const std::uint64_t said = run_and_kill("call", path(), random);
    auto store = CheckpointStore::open(path(), OpenMode::read_write);
    BOOST_REQUIRE(bool(store));
    const auto found = store->actor_states().get("counter");
    BOOST_REQUIRE(bool(found));
    BOOST_TEST(found->state.data()[0] >= said);
    BOOST_TEST(found->replies.size() == found->state.data()[0]);
  }
}

BOOST_FIXTURE_TEST_CASE(a_reader_beside_a_busy_writer_always_gets_a_list, tests::TempDir) {
  const auto head = path() / "head";
  tests::WriterProcess writer("save", head);
  BOOST_REQUIRE(bool(writer.line()));
  CheckpointId newest;
  for (int i = 0; i < 100; ++i) {
    const auto store = CheckpointStore::open(head, OpenMode::read_only);
    BOOST_REQUIRE_MESSAGE(store, (store ? "" : store.error().context));
    const auto ids = store->list();
    BOOST_REQUIRE(!ids.empty());
    BOOST_TEST(bool(store->manifest(ids.back())));
    BOOST_TEST((newest <= ids.back()));
    newest = ids.back();
  }
  BOOST_TEST(newest.iteration > 1u);
}

// Each checkpoint has three files: blocks, a part's record and a manifest.
BOOST_FIXTURE_TEST_CASE(files_that_entered_halfway_are_leftovers, KilledHalfway) {
  const std::vector<CheckpointId> all{{1, 1}, {1, 2}, {1, 3}};
  expect("enter1", all, 10, 9);
  expect("enter2", all, 11, 9);
  // The part is in, so only the manifest's file is none of the store's.
  expect("enter3", all, 12, 11);
}

BOOST_FIXTURE_TEST_CASE(files_that_left_halfway_are_leftovers, KilledHalfway) {
  expect("leave1", {{1, 2}, {1, 3}}, 9, 8);
  // The first one's record and the second one's manifest, then the first one's blocks.
  expect("leave2", {{1, 3}}, 7, 5);
}

// Goal: a leftover that cannot be told from a lost file is kept, and does no harm.
BOOST_FIXTURE_TEST_CASE(a_removed_checkpoint_that_comes_back_is_whole, KilledHalfway) {
  tests::WriterProcess writer("leave1", head);
  BOOST_REQUIRE(writer.was_killed());
  std::filesystem::remove_all(head / "staging");
  BOOST_TEST((CheckpointStore::open(head, OpenMode::read_write).error().code == Errc::corruption));
  BOOST_REQUIRE(bool(Database::repair(head)));
  const auto store = CheckpointStore::open(head, OpenMode::read_write);
  BOOST_REQUIRE_MESSAGE(store, (store ? "" : store.error().context));
  for (const auto id : store->list()) BOOST_TEST(bool(verify(path(), "head", id)));
  BOOST_TEST(store->list().size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

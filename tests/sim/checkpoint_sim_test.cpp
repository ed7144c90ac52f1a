// Checkpoints of whole jobs on real stores: what survives which run, and which deaths.
#include <algorithm>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <iterator>

#include "runtime/wire/address.hpp"
#include "storage/newest_valid.hpp"
#include "storage/retention.hpp"
#include "storage/store_lock.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
using storage::CheckpointId;
using storage::CheckpointStore;
using storage::OpenMode;
namespace data = boost::unit_test::data;

namespace checkpoint_sim_test {

struct Checkpoints : TempDir {
  Checkpoints() { write_small_data(*this); }

  /// One run of the job, checkpointed every third of its ten iterations.
  TrainingJob run(bool resume, std::uint64_t seed = 8) const {
    return {seed, {}, {.checkpoint_every = 3, .resume = resume}, *this};
  }
  /// All of it is killed once it has the checkpoint of `iteration`.
  void run_until(std::int64_t iteration, bool resume = false) const {
    TrainingJob job = run(resume);
    for (int i = 0; i < 1000; ++i) {
      job.simulation().run_until(job.simulation().now() + 5ms);
      const auto coordinator = job.find("coordinator");
      if (!coordinator) continue;
      const auto progress = job.simulation().call(actors::Coordinator{*coordinator},
                                                  Message<schema::GetProgress>::make());
      if (progress &&
          progress->read([](auto read) { return read.getLastCheckpoint(); }) >= iteration)
        return;
    }
    BOOST_FAIL("the checkpoint was never made");
  }
  /// Runs to the end, and checks that it came there with its last checkpoint.
  static runtime::Message<schema::Progress> finish(TrainingJob& job) {
    const auto progress = job.run(3600s);
    for (const auto& line : job.simulation().log_lines())
      BOOST_TEST_MESSAGE(to_seconds(line.time - runtime::simulation_start)
                         << " s " << to_string(line.actor) << " " << line.text);
    BOOST_REQUIRE(progress.has_value());
    progress->read([](schema::Progress::Reader read) {
      BOOST_TEST_MESSAGE(read.getFailure().getContext().cStr());
      BOOST_TEST((read.getState() == schema::JobState::FINISHED));
      BOOST_TEST(read.getLastCheckpoint() == 10);
    });
    return *progress;
  }

  std::filesystem::path directory() const { return path() / "checkpoints"; }
  CheckpointStore store(const std::string& node, OpenMode mode = OpenMode::read_only) const {
    return CheckpointStore::open(directory() / node, mode).value();
  }
  /// What the head's store lists, oldest first. Each is whole.
  std::vector<CheckpointId> listed() const {
    auto ids = store("head").list();
    for (const CheckpointId id : ids)
      BOOST_TEST(bool(storage::verify(directory(), "head", id)), to_string(id));
    return ids;
  }
  void damage_newest() const {
    const auto newest = store("head").list().back();
    const auto head = storage::Database::open(directory() / "head", OpenMode::read_write).value();
    storage::Batch batch;
    batch.put(storage::Table::catalog, manifest_key(newest), "nonsense");
    BOOST_REQUIRE(bool(head->write(batch)));
  }
};

}  // namespace checkpoint_sim_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_sim_test, Checkpoints)

// Goal: a part that an earlier run left, of a term that no checkpoint has, does not make the store
// refuse what comes after it.
BOOST_AUTO_TEST_CASE(a_run_saves_beside_parts_that_were_never_committed) {
  run_until(3);
  const std::vector<float> values(storage::block_parameters);
  BOOST_REQUIRE(
      bool(store("shard-1", OpenMode::read_write)
               .write_part({.checkpoint = {7, 6}, .version = 6, .first = 0}, values, {})));
  auto job = run(true);
  finish(job).read([](auto read) { BOOST_TEST(read.getTerm() > 7u); });
}

BOOST_AUTO_TEST_CASE(a_run_that_never_committed_does_not_stop_the_next_one) {
  std::filesystem::create_directories(directory());
  const std::vector<float> values(storage::block_parameters);
  BOOST_REQUIRE(
      bool(store("shard-0", OpenMode::create)
               .write_part({.checkpoint = {5, 3}, .version = 3, .first = 0}, values, {})));
  auto job = run(false);
  finish(job);
}

// Goal: after a fallback the same iteration is saved again, and not taken for the damaged one.
BOOST_AUTO_TEST_CASE(what_is_saved_after_a_fallback_is_whole) {
  run_until(3);
  run_until(6, true);
  damage_newest();
  auto job = run(true);
  const auto progress = finish(job);
  BOOST_TEST(told(progress, "skipped"));
  progress.read([](auto read) { BOOST_TEST(read.getResumedFrom() == 3); });
  BOOST_TEST(listed().back().iteration == 10u);
}

// Goal: files that are missing or cut keep no store from being written again.
BOOST_DATA_TEST_CASE(a_store_with_a_file_cut_short_is_repaired_and_written,
                     data::make({"head", "shard-0"}), node) {
  const Checkpoints files;
  files.run_until(6);
  std::filesystem::path newest;
  for (const auto& file : std::filesystem::directory_iterator(files.directory() / node))
    if (file.path().extension() == ".sst") newest = std::max(newest, file.path());
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) - 1);
  auto job = files.run(true);
  const auto progress = finish(job);
  BOOST_TEST(told(progress, "the store of " + std::string(node) + " was repaired"));
  // The head's newest file is the manifest, a shard's the record of its part.
  const bool manifest = node == std::string("head");
  BOOST_TEST(told(progress, manifest ? "; lost: iteration 6 (term 1)"
                                     : "parts in it are lost: iteration 6 (term 1); whole in it: "
                                       "iteration 3 (term 1)"));
  progress.read([](auto read) { BOOST_TEST(read.getResumedFrom() == 3); });
  BOOST_TEST(files.listed().back().iteration == 10u);
}

BOOST_AUTO_TEST_CASE(a_run_leaves_the_checkpoints_of_another_run_alone) {
  {
    auto first = run(false);
    finish(first);
  }
  const auto before = listed();
  BOOST_TEST(before.size() == 3u);
  {
    auto second = run(false);
    const auto progress = finish(second);
    BOOST_TEST(told(progress, "of an earlier run"));
    progress.read([](auto read) { BOOST_TEST(read.getResumedFrom() == -1); });
  }
  const auto after = listed();
  BOOST_REQUIRE(after.size() == 6u);
  BOOST_TEST((std::vector(after.begin(), after.begin() + 3) == before));
}

BOOST_AUTO_TEST_CASE(a_resumed_run_is_the_same_run_and_keeps_as_few) {
  run_until(6);
  auto job = run(true);
  BOOST_TEST(!told(finish(job), "of an earlier run"));
  BOOST_TEST(listed().size() == 3u);
}

// Goal: the best checkpoint is not removed because it is old, the milestones stay, and of all that
// stays the nodes have the parts. Method: with a learning rate that soon spoils the model the best
// is an early one; what the rules want is counted from all the manifests that were committed.
BOOST_AUTO_TEST_CASE(a_run_keeps_its_newest_its_best_and_its_milestones) {
  std::vector<storage::RetentionCandidate> all;
  TrainingJob job(8, {},
                  {.epochs = 4,
                   .learning_rate = 3,
                   .checkpoint_every = 1,
                   .keep = 2,
                   .keep_best = 1,
                   .keep_every = 6,
                   .evaluate_every = 1},
                  *this);
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (delivery.message.type == runtime::type_id<schema::CommitCheckpoint>())
      Message<schema::CommitCheckpoint>::adopt(delivery.message.words).read([&](auto read) {
        const auto manifest = read.getManifest();
        all.push_back({.id = {manifest.getTerm(), manifest.getIteration()},
                       .accuracy = manifest.getAccuracy()});
      });
    return runtime::Verdict::deliver;
  });
  BOOST_REQUIRE(job.run(3600s).has_value());
  BOOST_TEST(all.size() == 20u);
  const auto because = storage::decide_retention(all, {.newest = 2, .best = 1, .every = 6});
  std::vector<CheckpointId> expected;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (because[i].any()) expected.push_back(all[i].id);
  BOOST_TEST(std::ranges::count_if(because, &storage::KeptBecause::best) == 1);
  BOOST_TEST(std::ranges::count_if(because, &storage::KeptBecause::every) == 3);
  BOOST_TEST((listed() == expected));
}

BOOST_AUTO_TEST_CASE(a_store_that_somebody_else_writes_to_ends_the_job_at_once) {
  for (const std::string node : {"head", "shard-1"}) {
    std::filesystem::create_directories(directory() / node);
    const auto held = storage::StoreLock::acquire(directory() / node);
    BOOST_REQUIRE(bool(held));
    auto job = run(false);
    job.run(60s)->read([&](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::FAILED));
      BOOST_TEST((static_cast<Errc>(read.getFailure().getCode()) == Errc::already_exists));
      const std::string why = read.getFailure().getContext().cStr();
      BOOST_TEST(why.find((directory() / node).string()) != std::string::npos, why);
      BOOST_TEST(why.find("holds it") != std::string::npos, why);
    });
  }
}

BOOST_AUTO_TEST_CASE(a_checkpointer_that_died_is_replaced_for_the_next_checkpoint) {
  for (const std::string node : {"head", "shard-0"}) {
    TrainingJob job(8, {}, {.epochs = 1000, .checkpoint_every = 5}, *this);
    const auto last_checkpoint = [&job] {
      return job.run(5s)->read([](auto read) { return read.getLastCheckpoint(); });
    };
    const auto before = last_checkpoint();
    BOOST_TEST(before > 0);
    const auto checkpointer = job.find("checkpointer/" + node);
    BOOST_REQUIRE(checkpointer.has_value());
    BOOST_REQUIRE(bool(job.simulation().kill_actor(*checkpointer, {Errc::internal, "a bug"})));
    BOOST_TEST(last_checkpoint() > before + 10);
  }
}

// Goal: a result that cannot be kept is no success, and what can be mended in a moment is tried
// again.
BOOST_DATA_TEST_CASE(a_job_whose_last_save_fails_says_so, data::make({2, 1000}), failures) {
  const Checkpoints files;
  TrainingJob job = files.run(false);
  int committed = 0;
  int left = failures;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (delivery.message.type == runtime::type_id<schema::CheckpointCommitted>()) ++committed;
    const bool is_last =
        committed == 3 && delivery.message.type == runtime::type_id<schema::WritePart>();
    return is_last && left-- > 0 ? runtime::Verdict::kill_receiver_before
                                 : runtime::Verdict::deliver;
  });
  if (failures == 2) {
    Checkpoints::finish(job);
    return;
  }
  const auto progress = job.run(3600s);
  BOOST_REQUIRE(progress.has_value());
  progress->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FAILED));
    const std::string why = read.getFailure().getContext().cStr();
    BOOST_TEST(why.find("trained to the end (test accuracy") != std::string::npos, why);
    BOOST_TEST(why.find("--resume goes on from the checkpoint of iteration 9") != std::string::npos,
               why);
  });
}

// Goal: a result that was saved is not called lost because nobody heard of it. Method: all answers
// to the last commit are lost, and those to the attempts after it find it in the store.
BOOST_AUTO_TEST_CASE(a_last_save_whose_answers_are_lost_is_found) {
  TrainingJob job = run(false);
  int committed = 0;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    const bool answer = delivery.message.type == runtime::type_id<schema::CheckpointCommitted>();
    return answer && ++committed > 3 ? runtime::Verdict::drop : runtime::Verdict::deliver;
  });
  finish(job);
  BOOST_TEST(committed == 3 + 5);
}

// Goal: a resumed job gets its parameters whatever happens while they are being read.
BOOST_DATA_TEST_CASE(loading_survives_the_loss_of_any_message_and_store,
                     data::xrange(4) * data::xrange(4), message, harm) {
  const Checkpoints files;
  files.run_until(3);
  const std::uint64_t types[] = {
      runtime::type_id<schema::LoadNewest>(), runtime::type_id<schema::NewestLoaded>(),
      runtime::type_id<schema::ReadRange>(), runtime::type_id<schema::RangeRead>()};
  constexpr runtime::Verdict harms[] = {
      runtime::Verdict::drop, runtime::Verdict::kill_receiver_before,
      runtime::Verdict::kill_receiver_after, runtime::Verdict::kill_sender};
  auto job = files.run(true, 9);
  job.simulation().observe([type = types[message], verdict = harms[harm],
                            done = false](const runtime::Delivery& delivery) mutable {
    if (done || delivery.message.type != type) return runtime::Verdict::deliver;
    done = true;
    return verdict;
  });
  finish(job).read([](auto read) { BOOST_TEST(read.getResumedFrom() == 3); });
}

// Case D1. Goal: whoever dies at whichever step of a save, and then everybody, the job resumes from
// the newest checkpoint that was committed, and nothing of a partial one is seen.
BOOST_DATA_TEST_CASE(a_job_killed_in_a_save_resumes_from_the_newest_complete_checkpoint,
                     data::xrange(50), number) {
  const Checkpoints files;
  Random random(static_cast<std::uint64_t>(number), 5);
  const std::uint64_t types[] = {runtime::type_id<schema::Save>(),
                                 runtime::type_id<schema::Copied>(),
                                 runtime::type_id<schema::WritePart>(),
                                 runtime::type_id<schema::PartWritten>(),
                                 runtime::type_id<schema::PartSaved>(),
                                 runtime::type_id<schema::PartSavedTaken>(),
                                 runtime::type_id<schema::CommitCheckpoint>(),
                                 runtime::type_id<schema::CheckpointCommitted>(),
                                 runtime::type_id<schema::DropOld>()};
  constexpr runtime::Verdict harms[] = {runtime::Verdict::kill_receiver_before,
                                        runtime::Verdict::kill_receiver_after,
                                        runtime::Verdict::kill_sender};
  {
    TrainingJob job(random.below(1000), {}, {.checkpoint_every = 1}, files);
    bool hit = false;
    std::uint64_t left = random.below(10);
    job.simulation().observe([&, type = types[random.below(std::size(types))],
                              harm = harms[random.below(3)]](const runtime::Delivery& delivery) {
      if (hit || delivery.message.type != type || left-- > 0) return runtime::Verdict::deliver;
      hit = true;
      return harm;
    });
    BOOST_TEST(job.simulation().run_until([&hit] { return hit; }, 60s));
    job.simulation().run_until(job.simulation().now() +
                               std::chrono::milliseconds(random.below(60)));
  }
  const auto newest = storage::newest_valid(files.directory(), "head");
  if (newest) BOOST_TEST(newest->skipped.empty());
  const std::int64_t from =
      newest ? static_cast<std::int64_t>(storage::id_of(newest->manifest).iteration) : -1;
  auto job = files.run(from >= 0);
  finish(job).read([from](auto read) { BOOST_TEST(read.getResumedFrom() == from); });
  (void)files.listed();
}

// Goal: a node that is silent for a moment holds a checkpoint up, and nothing more. Method: the
// node of a shard is suspect when the first checkpoint falls due, and is heard again afterwards.
BOOST_AUTO_TEST_CASE(a_checkpoint_that_falls_due_while_a_node_is_suspect_is_made) {
  TrainingJob job = run(false);
  const NodeId silent = job.nodes().back();
  const auto report = [&](bool cleared) {
    job.simulation().tell(job.cluster().membership().address,
                          Message<schema::Suspect>::make([&](schema::Suspect::Builder root) {
                            runtime::write_node(root.initNode(), silent);
                            root.setIncarnation(job.simulation().incarnation(silent));
                            root.setReason("silent for 1000 ms");
                            root.setCleared(cleared);
                            runtime::write_node(root.initReporter(), job.cluster().head());
                          }).any());
  };
  job.simulation().run_until(job.simulation().now() + 20ms);
  report(false);
  job.simulation().run_until(job.simulation().now() + 2s);
  report(true);
  const auto progress = finish(job);
  BOOST_TEST(told(progress, "checkpoint of iteration 3 committed") == 1u);
  BOOST_TEST(told(progress, "rolling back") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>

#include "storage/checkpoint_copy.hpp"
#include "storage/checkpoint_store.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
using runtime::Verdict;
using storage::CheckpointId;
using storage::CheckpointStore;
using storage::OpenMode;

namespace coordinator_choice_test {

using Settings = TrainingJob::Settings;
using Choose = std::function<void(schema::CheckpointChoice::Builder)>;

/// Ten iterations, saved after every third and at the end: one job that has ended so.
struct Ended : SmallData {
  Ended() {
    TrainingJob job(8, {}, settings(), *this);
    undisturbed = hash_of(finish(job));
    BOOST_REQUIRE((ids() == std::vector<CheckpointId>{{1, 6}, {1, 9}, {1, 10}}));
  }

  static Settings settings() { return {.checkpoint_every = 3, .evaluate_every = 3}; }
  static Settings resumed(const Choose& choose) {
    Settings made = settings();
    made.resume = true;
    made.from = Message<schema::CheckpointChoice>::make(choose);
    return made;
  }
  static Message<schema::Progress> finish(TrainingJob& job) {
    const auto progress = job.run(3600s);
    BOOST_REQUIRE(progress.has_value());
    progress->read([](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::FINISHED),
                 read.getFailure().getContext().cStr());
      BOOST_TEST(read.getLastCheckpoint() == 10);
    });
    return *progress;
  }
  static std::string hash_of(const Message<schema::Progress>& progress) {
    return progress.read([](auto read) { return std::string(read.getParametersSha256().cStr()); });
  }
  /// Runs until a message of type `T` is delivered.
  template <class T>
  static void wait_for(TrainingJob& job, bool saves = true) {
    const auto seen = std::make_shared<bool>(false);
    job.simulation().observe([seen, saves](const runtime::Delivery& delivery) {
      *seen = *seen || delivery.message.type == runtime::type_id<T>();
      const bool commits = delivery.message.type == runtime::type_id<schema::CommitCheckpoint>();
      return commits && !saves && !*seen ? runtime::Verdict::drop : runtime::Verdict::deliver;
    });
    BOOST_REQUIRE(job.simulation().run_until([&seen] { return *seen; }, 600s));
  }
  /// Trains a little, and nothing is saved of it.
  static void train_unsaved(TrainingJob& job) { wait_for<schema::Push>(job, false); }
  static void kill(TrainingJob& job, const std::string& name) {
    BOOST_REQUIRE(
        bool(job.simulation().kill_actor(job.find(name).value(), {Errc::internal, "by the test"})));
  }
  /// Has the job fail and returns why.
  static Error failure_of(TrainingJob& job) {
    const auto progress = job.run(3600s);
    BOOST_REQUIRE(progress.has_value());
    return progress->read([](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::FAILED));
      return Error{static_cast<Errc>(read.getFailure().getCode()),
                   read.getFailure().getContext().cStr()};
    });
  }

  std::vector<CheckpointId> ids(const std::string& directory = "checkpoints") const {
    return CheckpointStore::open(path() / directory / "head", OpenMode::read_only)->list();
  }
  double accuracy(CheckpointId id) const {
    return CheckpointStore::open(path() / "checkpoints" / "head", OpenMode::read_only)
        ->manifest(id)
        ->read([](auto read) { return read.getAccuracy(); });
  }
  void damage(CheckpointId id) const {
    const auto head =
        storage::Database::open(path() / "checkpoints" / "head", OpenMode::read_write).value();
    storage::Batch batch;
    batch.put(storage::Table::catalog, manifest_key(id), "nonsense");
    BOOST_REQUIRE(bool(head->write(batch)));
  }

  std::string undisturbed;
};

void choose_the_first(schema::CheckpointChoice::Builder choice) {
  choice.getCheckpoint().setIteration(6);
}

}  // namespace coordinator_choice_test

BOOST_FIXTURE_TEST_SUITE(coordinator_choice_test, Ended)

// Goal: what follows an older checkpoint is another run's: what came after it before stays, and the
// newest of the directory is that of the resumed run from its beginning.
BOOST_AUTO_TEST_CASE(an_older_checkpoint_begins_a_branch) {
  Settings branch = resumed(choose_the_first);
  branch.checkpoint_every = 4;  // So nothing else has it saved where it begins.
  TrainingJob job(9, {}, branch, *this);
  const auto progress = finish(job);
  progress.read([](auto read) { BOOST_TEST(read.getResumedFrom() == 6); });
  BOOST_TEST(hash_of(progress) == undisturbed);
  BOOST_TEST(
      (ids() == std::vector<CheckpointId>{{1, 6}, {1, 9}, {1, 10}, {2, 6}, {2, 8}, {2, 10}}));
}

// Goal: a branch that is stopped where it began is resumed there, and not where the other one
// ended; an accuracy that is known stays known.
BOOST_AUTO_TEST_CASE(a_branch_is_saved_where_it_begins) {
  {
    TrainingJob job(9, {}, resumed(choose_the_first), *this);
    wait_for<schema::Grant>(job);
    const actors::Coordinator coordinator{job.find("coordinator").value()};
    BOOST_REQUIRE(bool(job.simulation().call(coordinator, Message<schema::StopJob>::make())));
    job.run(3600s)->read([](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::STOPPED));
      BOOST_TEST(read.getLastCheckpoint() < 9);
    });
  }
  BOOST_TEST((accuracy({2, 6}) == accuracy({1, 6})));
  const CheckpointId stopped = ids().back();
  BOOST_TEST(stopped.term == 2u);
  Settings again = settings();
  again.resume = true;
  TrainingJob job(10, {}, again, *this);
  const auto progress = finish(job);
  progress.read([&](schema::Progress::Reader read) {
    BOOST_TEST(read.getResumedFrom() == static_cast<std::int64_t>(stopped.iteration));
  });
  BOOST_TEST(hash_of(progress) == undisturbed);
}

BOOST_AUTO_TEST_CASE(the_newest_by_its_iteration_goes_on_with_its_run) {
  Settings longer = resumed([](auto choice) { choice.getCheckpoint().setIteration(10); });
  longer.epochs = 3;
  TrainingJob job(9, {}, longer, *this);
  job.run(3600s)->read([](auto read) { BOOST_TEST(read.getLastCheckpoint() == 15); });
  BOOST_TEST(ids().size() == 3u);
}

// Goal: a rollback goes back to what was chosen and not to what is newer in the directory, whether
// it is this coordinator's or its successor's. Method: deaths before anything was saved.
BOOST_AUTO_TEST_CASE(a_rollback_goes_to_the_chosen_one) {
  for (const bool successor : {false, true}) {
    const Ended files;
    TrainingJob job(9, {}, resumed(choose_the_first), files);
    train_unsaved(job);
    if (successor) job.kill_coordinator();
    kill(job, "shard/1");
    const auto progress = finish(job);
    BOOST_TEST(told(progress, "to the checkpoint of iteration 6"));
    progress.read([](auto read) { BOOST_TEST(read.getResumedFrom() == 6); });
    BOOST_TEST(hash_of(progress) == undisturbed);
    BOOST_TEST((files.ids().back() == CheckpointId{files.ids().back().term, 10}));
    BOOST_TEST(files.ids().size() == 6u);
  }
}

// Goal: once the run has a checkpoint of its own, that is what everything goes back to.
BOOST_AUTO_TEST_CASE(its_own_checkpoint_takes_the_place_of_the_chosen_one) {
  TrainingJob job(9, {}, resumed(choose_the_first), *this);
  wait_for<schema::CheckpointCommitted>(job);
  job.kill_coordinator();
  kill(job, "shard/0");
  kill(job, "shard/1");
  const auto progress = finish(job);
  BOOST_TEST(told(progress, "the run's checkpoint of iteration 6"));
  BOOST_TEST(hash_of(progress) == undisturbed);
}

BOOST_AUTO_TEST_CASE(what_is_damaged_or_absent_fails_the_job_and_says_what_there_is) {
  damage({1, 6});
  {
    TrainingJob job(9, {}, resumed(choose_the_first), *this);
    const Error why = failure_of(job);
    BOOST_TEST((why.code == Errc::corruption));
    BOOST_TEST(why.context.find("iterations 6, 9, 10") != std::string::npos, why.context);
  }
  TrainingJob job(9, {}, resumed([](auto choice) { choice.getCheckpoint().setIteration(7); }),
                  *this);
  BOOST_TEST((failure_of(job).code == Errc::not_found));
  BOOST_TEST(ids().size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_job_goes_on_from_another_directory_and_saves_in_its_own) {
  const auto choose = [this](schema::CheckpointChoice::Builder choice) {
    choice.setDirectory((path() / "checkpoints").string());
    choice.getCheckpoint().setIteration(6);
  };
  Settings moved = resumed(choose);
  moved.directory = "elsewhere";
  moved.shards = 1;
  TrainingJob job(9, {}, moved, *this);
  train_unsaved(job);
  kill(job, "shard/0");
  const auto progress = finish(job);
  BOOST_TEST(told(progress, "from the checkpoint of iteration 6 in " + path().string()));
  BOOST_TEST(told(progress, "to the checkpoint of iteration 6"));
  BOOST_TEST(hash_of(progress) == undisturbed);
  BOOST_TEST(ids().size() == 3u);
  BOOST_TEST(ids("elsewhere").size() == 3u);
  // Above the term of what it was made of.
  BOOST_TEST(ids("elsewhere").front().term > 1u);
}

// Goal: a successor means the checkpoint that the run was resumed from, whatever has become the
// best or the newest of its directory since.
BOOST_AUTO_TEST_CASE(a_successor_keeps_to_what_the_run_was_resumed_from) {
  Settings moved = resumed([this](schema::CheckpointChoice::Builder choice) {
    choice.setDirectory((path() / "checkpoints").string());
  });
  moved.directory = "elsewhere";
  moved.epochs = 3;
  TrainingJob job(9, {}, moved, *this);
  train_unsaved(job);
  {
    auto head = CheckpointStore::open(path() / "checkpoints" / "head", OpenMode::read_write);
    BOOST_REQUIRE(bool(head));
    const auto newer = head->manifest({1, 9})->read([](schema::CheckpointManifest::Reader read) {
      capnp::MallocMessageBuilder draft;
      draft.setRoot(read);
      draft.getRoot<schema::CheckpointManifest>().setTerm(5);
      return storage::Manifest::copy(draft.getRoot<schema::CheckpointManifest>().asReader());
    });
    BOOST_REQUIRE(bool(head->commit(newer)));
  }
  job.kill_coordinator();
  kill(job, "shard/1");
  const auto progress = job.run(3600s);
  BOOST_REQUIRE(progress.has_value());
  BOOST_TEST(told(*progress, "to the checkpoint of iteration 10"));
  progress->read([&](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FINISHED));
    BOOST_TEST(read.getResumedFrom() == 10);
  });
}

// Goal: a disk that fails for a moment while a branch gets another coordinator costs it nothing.
// Method: the directory that has the chosen checkpoint is a file when it is first read.
BOOST_AUTO_TEST_CASE(a_successor_reads_the_chosen_one_again_when_reading_fails) {
  Settings moved = resumed([this](schema::CheckpointChoice::Builder choice) {
    choice.setDirectory((path() / "checkpoints").string());
    choice.getCheckpoint().setIteration(6);
  });
  moved.directory = "elsewhere";
  TrainingJob job(9, {}, moved, *this);
  train_unsaved(job);
  int reads = 0;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (delivery.message.type != runtime::type_id<schema::LoadChosen>()) return Verdict::deliver;
    if (++reads == 1) {
      std::filesystem::rename(path() / "checkpoints", path() / "away");
      write("checkpoints", "no folder");
    } else if (reads == 2) {
      std::filesystem::remove(path() / "checkpoints");
      std::filesystem::rename(path() / "away", path() / "checkpoints");
    }
    return Verdict::deliver;
  });
  job.kill_coordinator();
  kill(job, "shard/1");
  const auto progress = finish(job);
  BOOST_TEST(reads == 2);
  BOOST_TEST(told(progress, "to the checkpoint of iteration 6"));
  BOOST_TEST(hash_of(progress) == undisturbed);
}

// Goal: a branch that cannot read what it began with has a checkpoint of its own as soon as can be,
// and goes back to that. Method: the chosen one is gone for good when the coordinator is replaced.
BOOST_AUTO_TEST_CASE(a_branch_without_what_it_began_with_saves_at_once) {
  Settings moved = resumed([this](schema::CheckpointChoice::Builder choice) {
    choice.setDirectory((path() / "checkpoints").string());
  });
  moved.directory = "elsewhere";
  moved.epochs = 40;
  moved.checkpoint_every = 1000;
  TrainingJob job(9, {}, moved, *this);
  train_unsaved(job);
  std::filesystem::remove_all(path() / "checkpoints");
  job.kill_coordinator();
  wait_for<schema::CheckpointCommitted>(job);
  BOOST_REQUIRE(ids("elsewhere").size() == 1u);
  kill(job, "shard/1");
  const auto progress = job.run(3600s);
  BOOST_REQUIRE(progress.has_value());
  BOOST_TEST(told(*progress, "to the checkpoint of iteration " +
                                 std::to_string(ids("elsewhere").front().iteration)));
  progress->read([](auto read) { BOOST_TEST((read.getState() == schema::JobState::FINISHED)); });
}

// Goal: what somebody copied to keep is no checkpoint of the job that goes on from it there, which
// would remove it as one of its older ones. Method: of two copies the newer is resumed; before it
// saves anything its coordinator is replaced and a shard dies.
BOOST_AUTO_TEST_CASE(a_job_in_a_folder_of_copies_leaves_them_alone) {
  {
    auto kept = CheckpointStore::open(path() / "kept" / "head", OpenMode::create).value();
    const auto stores = std::make_shared<storage::OpenedStores>(path() / "checkpoints");
    for (const CheckpointId id : {CheckpointId{1, 6}, CheckpointId{1, 9}})
      BOOST_REQUIRE(bool(storage::copy_checkpoint(
          stores, (*stores->of("head"))->manifest(id).value(), kept, [] { return false; })));
  }
  Settings there = settings();
  there.resume = true;
  there.directory = "kept";
  there.keep = 1;
  TrainingJob job(9, {}, there, *this);
  train_unsaved(job);
  job.kill_coordinator();
  kill(job, "shard/1");
  const auto progress = finish(job);
  BOOST_TEST(told(progress, "to the checkpoint of iteration 9"));
  BOOST_TEST(hash_of(progress) == undisturbed);
  const auto found = ids("kept");
  BOOST_REQUIRE(found.size() == 3u);
  BOOST_TEST((found[0] == CheckpointId{1, 6}));
  BOOST_TEST((found[1] == CheckpointId{1, 9}));
  BOOST_TEST(found[2].iteration == 10u);
}

// Case E3. Goal: a resumed job never goes on with parameters from the seed. Method: what it was
// resumed from is gone when a shard dies, and so is the coordinator that knew where it lay.
BOOST_AUTO_TEST_CASE(a_rollback_without_what_was_resumed_fails_the_job) {
  Settings moved = resumed([this](schema::CheckpointChoice::Builder choice) {
    choice.setDirectory((path() / "checkpoints").string());
    choice.getCheckpoint().setIteration(6);
  });
  moved.directory = "elsewhere";
  TrainingJob job(9, {}, moved, *this);
  train_unsaved(job);
  std::filesystem::remove_all(path() / "checkpoints");
  job.kill_coordinator();
  kill(job, "shard/1");
  const Error why = failure_of(job);
  BOOST_TEST((why.code == Errc::corruption));
  BOOST_TEST(why.context.find("no whole checkpoint to roll back to") != std::string::npos,
             why.context);
}

BOOST_AUTO_TEST_SUITE_END()

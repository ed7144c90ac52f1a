#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <vector>

#include "actors/training/coordinator.hpp"
#include "storage/newest_valid.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
using runtime::Verdict;
using storage::CheckpointId;
using storage::CheckpointStore;
using storage::OpenMode;

namespace coordinator_copies_test {

template <class T>
bool is(const runtime::Delivery& delivery) {
  return delivery.message.type == runtime::type_id<T>();
}

/// Takes ten seconds for each copy, and makes none.
class SlowCopier final : public runtime::Actor<actors::CheckpointCopierProtocol> {
 public:
  SlowCopier(runtime::Host& host, const Message<schema::CopierSpec>&) : Actor(host) {
    on(&SlowCopier::copy);
  }

 private:
  using Reply = runtime::Reply<schema::CheckpointCopied>;

  void copy(const Message<schema::CopyCheckpoint>&, Reply reply) {
    if (reply_) return reply.fail(Error{Errc::overloaded, "one at a time"});
    reply_.emplace(std::move(reply));
    after(10s, [this] {
      reply_->send(Message<schema::CheckpointCopied>::make());
      reply_.reset();
    });
  }

  std::optional<Reply> reply_;
};

runtime::Catalogue with_slow_copies() {
  auto types = actors::training_types();
  for (auto& type : types)
    if (type.name == "checkpoint_copier")
      type = runtime::actor_type<SlowCopier, schema::CopierSpec>("checkpoint_copier");
  return types;
}

/// Ten iterations on two shards, saved after every third and at the end, and copied.
struct Copies : SmallData {
  Copies() { std::filesystem::create_directory(second()); }

  TrainingJob::Settings settings(bool resume = false) const {
    return {.checkpoint_every = 3,
            .resume = resume,
            .adjust = [place = second().string()](schema::JobSpec::Builder job) {
              job.getCheckpoint().setCopyTo(place);
            }};
  }
  static Message<schema::Progress> finish(TrainingJob& job) {
    const auto progress = job.run(3600s);
    for (const auto& line : job.simulation().log_lines())
      BOOST_TEST_MESSAGE(to_string(line.actor) << " " << line.text);
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
  static void check_copies(const Message<schema::Progress>& progress, std::int64_t newest,
                           std::uint64_t failed) {
    progress.read([&](schema::Progress::Reader read) {
      BOOST_TEST(read.getCopiedCheckpoint() == newest);
      BOOST_TEST(read.getCopiesFailed() == failed);
    });
  }
  /// All of the job is killed once a message of type `T` came `count` times.
  template <class T>
  void run_until(int count, bool resume = false) const {
    TrainingJob job(8, {}, settings(resume), *this);
    int seen = 0;
    job.simulation().observe([&](const runtime::Delivery& delivery) {
      seen += is<T>(delivery);
      return Verdict::deliver;
    });
    BOOST_REQUIRE(job.simulation().run_until([&] { return seen == count; }, 600s));
    job.simulation().run_until(job.simulation().now() + 1ms);
  }
  std::vector<CheckpointId> listed(const std::filesystem::path& directory) const {
    const auto store = CheckpointStore::open(directory / "head", OpenMode::read_only);
    if (!store) return {};
    for (const CheckpointId id : store->list())
      BOOST_TEST(bool(storage::verify(directory, "head", id)), to_string(id));
    return store->list();
  }

  std::filesystem::path first() const { return path() / "checkpoints"; }
  std::filesystem::path second() const { return path() / "second"; }
};

}  // namespace coordinator_copies_test

BOOST_FIXTURE_TEST_SUITE(coordinator_copies_test, Copies)

BOOST_AUTO_TEST_CASE(each_committed_checkpoint_is_copied_and_the_end_waits_for_the_last) {
  TrainingJob job(8, {}, settings(), *this);
  const auto progress = finish(job);
  check_copies(progress, 10, 0);
  BOOST_TEST((listed(second()) == listed(first())));
  BOOST_TEST(told(progress, "the checkpoint of iteration 10 was copied to " + second().string()));
}

// Goal: nothing waits for a copy but the end, and of what is committed meanwhile only the newest is
// copied. Method: a place at which each copy takes ten seconds.
BOOST_AUTO_TEST_CASE(training_does_not_wait_for_a_copy) {
  TrainingJob job(8, {}, settings(), *this, with_slow_copies());
  std::vector<Instant> asked, committed;
  std::vector<std::uint64_t> iterations;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (is<schema::CheckpointCommitted>(delivery)) committed.push_back(delivery.now);
    if (!is<schema::CopyCheckpoint>(delivery)) return Verdict::deliver;
    asked.push_back(delivery.now);
    Message<schema::CopyCheckpoint>::adopt(delivery.message.words).read([&](auto read) {
      iterations.push_back(read.getCheckpoint().getIteration());
    });
    return Verdict::deliver;
  });
  const auto progress = finish(job);
  check_copies(progress, 10, 0);
  BOOST_TEST((iterations == std::vector<std::uint64_t>{3, 10}));
  BOOST_REQUIRE(committed.size() == 4u);
  BOOST_TEST((committed.back() < asked.front() + 10s));
  BOOST_TEST((asked.back() >= asked.front() + 10s));
  BOOST_TEST(told(progress, "waiting until the checkpoint of iteration 10 is copied"));
  progress.read([](schema::Progress::Reader read) {
    BOOST_TEST(read.getCheckpointsLate() == 0u);
    // The run's time is that of its training.
    BOOST_TEST(read.getRunSeconds() < 10);
  });
}

// Goal: a copier that is at what a dead coordinator asked for is neither left alone nor doubled.
BOOST_AUTO_TEST_CASE(a_successor_waits_for_the_copy_of_its_predecessor) {
  TrainingJob job(8, {}, settings(), *this, with_slow_copies());
  bool hit = false;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    const bool first = is<schema::CopyCheckpoint>(delivery) && !std::exchange(hit, true);
    return first ? Verdict::kill_sender : Verdict::deliver;
  });
  check_copies(finish(job), 10, 0);
}

// Goal: a copy that fails is told and counted, disturbs nothing, and is tried with the next
// checkpoint. Method: the place is away for the first one.
BOOST_AUTO_TEST_CASE(a_copy_that_fails_is_tried_again_with_the_next_checkpoint) {
  std::filesystem::remove(second());
  TrainingJob job(8, {}, settings(), *this);
  int committed = 0;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (is<schema::CheckpointCommitted>(delivery) && ++committed == 2)
      std::filesystem::create_directory(second());
    return Verdict::deliver;
  });
  const auto progress = finish(job);
  check_copies(progress, 10, 1);
  BOOST_TEST(told(progress, "warning: the checkpoint of iteration 3 could not be copied"));
  BOOST_TEST(told(progress, "mount what belongs there"));
  BOOST_TEST((listed(second()).size() == 3u));
}

BOOST_AUTO_TEST_CASE(a_place_that_stays_away_costs_the_job_nothing_but_warnings) {
  std::filesystem::remove(second());
  TrainingJob job(8, {}, settings(), *this);
  check_copies(finish(job), -1, 4);
}

// Goal: the death of a copier costs one copy, that of a coordinator none; each time one is left.
BOOST_AUTO_TEST_CASE(copies_go_on_after_deaths) {
  for (const bool coordinator : {false, true}) {
    const Copies files;
    TrainingJob job(8, {}, files.settings(), files);
    bool hit = false;
    job.simulation().observe([&](const runtime::Delivery& delivery) {
      if (!is<schema::CopyCheckpoint>(delivery) || std::exchange(hit, true))
        return Verdict::deliver;
      return coordinator ? Verdict::kill_sender : Verdict::kill_receiver_before;
    });
    const auto progress = finish(job);
    check_copies(progress, 10, coordinator ? 0 : 1);
    BOOST_TEST((files.listed(files.second()).back().iteration == 10u));
    const auto actors = job.simulation().actors(job.cluster().head());
    BOOST_TEST(std::ranges::count_if(actors, [](const auto& actor) {
                 return actor.alive && actor.type == "checkpoint_copier";
               }) == 1);
  }
}

// Goal: a job whose folder is lost goes on from its newest copy, as the run that it was, and has
// its own checkpoint of that at once. Method: all is killed, the folder removed.
BOOST_AUTO_TEST_CASE(a_job_that_lost_its_folder_goes_on_from_the_newest_copy) {
  std::string undisturbed;
  {
    const Copies calm;
    TrainingJob job(8, {}, calm.settings(), calm);
    undisturbed = hash_of(finish(job));
  }
  run_until<schema::CheckpointCopied>(2);
  std::filesystem::remove_all(first());
  BOOST_REQUIRE((listed(second()) == std::vector<CheckpointId>{{1, 3}, {1, 6}}));
  TrainingJob job(9, {}, settings(true), *this);
  const auto progress = finish(job);
  progress.read([](auto read) { BOOST_TEST(read.getResumedFrom() == 6); });
  BOOST_TEST(told(progress, "the newest copy, of iteration 6 in " + second().string()));
  BOOST_TEST(hash_of(progress) == undisturbed);
  BOOST_TEST((listed(first()) == std::vector<CheckpointId>{{2, 6}, {2, 9}, {2, 10}}));
  // They are copies of one run, of which it keeps three.
  BOOST_TEST((listed(second()) == std::vector<CheckpointId>{{2, 6}, {2, 9}, {2, 10}}));
}

// Goal: whoever dies before the resumed run has saved anything, it goes back to the copy.
BOOST_AUTO_TEST_CASE(a_rollback_goes_to_the_copy_while_there_is_nothing_else) {
  run_until<schema::CheckpointCopied>(2);
  std::filesystem::remove_all(first());
  TrainingJob job(9, {}, settings(true), *this);
  bool trained = false;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    trained = trained || is<schema::Push>(delivery);
    return is<schema::CommitCheckpoint>(delivery) && !trained ? Verdict::drop : Verdict::deliver;
  });
  BOOST_REQUIRE(job.simulation().run_until([&] { return trained; }, 600s));
  job.kill_coordinator();
  BOOST_REQUIRE(bool(
      job.simulation().kill_actor(job.find("shard/1").value(), {Errc::internal, "by the test"})));
  const auto progress = finish(job);
  BOOST_TEST(told(progress, "to the checkpoint of iteration 6"));
  progress.read([](auto read) { BOOST_TEST(read.getResumedFrom() == 6); });
}

// Goal: a run that starts anew is not taken for the one whose copies are there, and its copies are
// the newest all the same.
BOOST_AUTO_TEST_CASE(a_new_run_leaves_the_copies_of_another_one_alone) {
  run_until<schema::CheckpointCopied>(2);
  std::filesystem::remove_all(first());
  TrainingJob job(9, {}, settings(), *this);
  finish(job).read([](auto read) { BOOST_TEST(read.getResumedFrom() == -1); });
  BOOST_TEST(
      (listed(second()) == std::vector<CheckpointId>{{1, 3}, {1, 6}, {2, 6}, {2, 9}, {2, 10}}));
}

BOOST_AUTO_TEST_CASE(without_any_checkpoint_or_copy_a_resume_fails) {
  TrainingJob job(9, {}, settings(true), *this);
  job.run(3600s)->read([this](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FAILED));
    BOOST_TEST((static_cast<Errc>(read.getFailure().getCode()) == Errc::not_found));
    const std::string why = read.getFailure().getContext().cStr();
    BOOST_TEST(why.find("nor from a copy") != std::string::npos, why);
    BOOST_TEST(why.find(second().string()) != std::string::npos, why);
  });
}

BOOST_AUTO_TEST_SUITE_END()

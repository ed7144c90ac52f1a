#include <boost/test/unit_test.hpp>
#include <optional>
#include <vector>

#include "actors/training/coordinator.hpp"
#include "tests/sim/training_job.hpp"
#include "trainer/recovery/checkpoint_interval.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
using runtime::Verdict;

namespace coordinator_saving_test {

template <class T>
bool is(const runtime::Delivery& delivery) {
  return delivery.message.type == runtime::type_id<T>();
}

void computed(schema::JobSpec::Builder root) {
  root.getEvaluate().setEveryIterations(100'000);
  auto checkpoint = root.getCheckpoint();
  checkpoint.setEveryIterations(0);
  checkpoint.setInterval(schema::CheckpointInterval::COMPUTED);
  checkpoint.setSecondsBetweenFailures(400);
}

/// A job of ten iterations on two shards that saves every third and the last.
struct Saving : SmallData {
  TrainingJob job{8, {}, {.checkpoint_every = 3}, *this};

  Message<schema::Progress> finish() { return finish(job, 10); }
  static Message<schema::Progress> finish(TrainingJob& job, std::int64_t iterations) {
    const auto progress = job.run(3600s);
    BOOST_REQUIRE(progress.has_value());
    progress->read([iterations](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::FINISHED),
                 read.getFailure().getContext().cStr());
      BOOST_TEST(read.getLastCheckpoint() == iterations);
    });
    return *progress;
  }
};

/// When which iteration was asked to be saved, and when each checkpoint was committed.
struct Saves {
  struct Asked {
    std::uint64_t iteration;
    Instant when;
  };

  explicit Saves(TrainingJob& job) {
    job.simulation().observe([this](const runtime::Delivery& delivery) {
      if (is<schema::Save>(delivery))
        Message<schema::Save>::adopt(delivery.message.words).read([&](schema::Save::Reader save) {
          if (asked.empty() || asked.back().iteration != save.getCheckpoint())
            asked.push_back({save.getCheckpoint(), delivery.now});
        });
      if (is<schema::CheckpointCommitted>(delivery)) committed.push_back(delivery.now);
      return Verdict::deliver;
    });
  }

  std::vector<Asked> asked;
  std::vector<Instant> committed;
};

}  // namespace coordinator_saving_test

BOOST_FIXTURE_TEST_SUITE(coordinator_saving_test, Saving)

// Goal: what an attempt failed with does not end the next one. Method: of the last checkpoint, the
// copies of both shards are lost, so that both tell of their failure at about the same time.
BOOST_AUTO_TEST_CASE(an_attempt_does_not_fail_by_the_one_before_it) {
  int committed = 0, lost = 0, asked = 0;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (is<schema::CheckpointCommitted>(delivery)) ++committed;
    if (committed < 3) return Verdict::deliver;
    if (is<schema::Save>(delivery)) ++asked;
    return is<schema::WritePart>(delivery) && ++lost <= 2 ? Verdict::drop : Verdict::deliver;
  });
  finish();
  BOOST_TEST(asked == 2 * 2);
}

// Goal: an answer that comes after a rollback does not move the job to a checkpoint that its shards
// were not started from. Method: nobody hears that the last checkpoint was committed, so the next
// attempt asks which is the newest; that question is lost, a shard dies before it is asked again,
// and the answer comes while the new shards load the checkpoint before.
BOOST_AUTO_TEST_CASE(what_is_newest_is_not_taken_after_a_rollback) {
  int committed = 0, questions = 0, answers = 0;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (is<schema::CheckpointCommitted>(delivery) && ++committed > 3 && committed <= 3 + 5)
      return Verdict::drop;
    if (is<schema::LoadNewest>(delivery) && ++questions == 2) return Verdict::drop;
    if (is<schema::NewestLoaded>(delivery)) ++answers;
    const bool early = is<schema::Prepared>(delivery) && questions >= 2 && answers < 2;
    return early ? Verdict::drop : Verdict::deliver;
  });
  BOOST_REQUIRE(job.simulation().run_until([&] { return questions == 2; }, 3600s));
  job.simulation().run_until(job.simulation().now() + 119s);
  BOOST_REQUIRE(bool(job.simulation().kill_actor(job.find("shard/0").value(),
                                                 {Errc::unavailable, "by the test"})));
  finish().read([](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 1u);
    BOOST_TEST(read.getLostIterations() == 1u);
  });
  BOOST_TEST(answers == 2);
}

// Goal: what falls due while a checkpoint is being written is late, is counted, and comes at once
// after it; never are there two. Method: for 250 ms nobody hears that the first one's parts are
// written, in which some twenty iterations pass.
BOOST_AUTO_TEST_CASE(what_is_due_while_another_is_written_follows_at_once) {
  for (const char* mode : {"bsp", "ssp"}) {
    const SmallData files;
    TrainingJob slow(8, {}, {.mode = mode, .epochs = 30, .checkpoint_every = 20}, files);
    Saves saves(slow);
    std::optional<Instant> first;
    slow.simulation().observe([&](const runtime::Delivery& delivery) {
      if (!is<schema::PartSaved>(delivery)) return Verdict::deliver;
      if (!first) first = delivery.now;
      return delivery.now < *first + 250ms ? Verdict::drop : Verdict::deliver;
    });
    const auto progress = finish(slow, 150);
    BOOST_TEST(told(progress, "is still being written; the next one is due") == 1u);
    BOOST_TEST(progress.read([](auto read) { return read.getCheckpointsLate(); }) == 1u);
    BOOST_REQUIRE(saves.asked.size() > 2u);
    BOOST_TEST(saves.asked[0].iteration == 20u);
    // Not as late as what is due after it.
    BOOST_TEST(saves.asked[1].iteration > 40u);
    BOOST_TEST(saves.asked[1].iteration < 60u);
    for (std::size_t i = 1; i < saves.asked.size(); ++i)
      BOOST_TEST((saves.asked[i].when >= saves.committed.at(i - 1)));
  }
}

// Goal: a moment that comes while the workers evaluate is no moment lost. Method: for a second, all
// scores of the first evaluation are lost.
BOOST_AUTO_TEST_CASE(what_falls_due_during_an_evaluation_is_saved_after_it) {
  const SmallData files;
  TrainingJob timed(8, {},
                    {.checkpoint_every = 1,
                     .adjust =
                         [](schema::JobSpec::Builder root) {
                           root.getCheckpoint().setEveryIterations(0);
                           root.getCheckpoint().setEverySeconds(0.5);
                         }},
                    files);
  Saves saves(timed);
  std::optional<Instant> first;
  timed.simulation().observe([&](const runtime::Delivery& delivery) {
    if (!is<schema::Evaluated>(delivery)) return Verdict::deliver;
    if (!first) first = delivery.now;
    return delivery.now < *first + 1s ? Verdict::drop : Verdict::deliver;
  });
  finish(timed, 10);
  BOOST_REQUIRE(saves.asked.size() == 2u);
  BOOST_TEST(saves.asked[0].iteration == 5u);
  BOOST_TEST((saves.asked[0].when - *first >= 1s));
}

// Goal: the last checkpoint makes none late. Method: each second one is due, and for two seconds
// nobody hears that the last one's parts are written.
BOOST_AUTO_TEST_CASE(nothing_is_late_at_the_end) {
  const SmallData files;
  TrainingJob timed(8, {},
                    {.checkpoint_every = 1000,
                     .adjust = [](auto root) { root.getCheckpoint().setEverySeconds(1); }},
                    files);
  std::optional<Instant> first;
  timed.simulation().observe([&](const runtime::Delivery& delivery) {
    if (!is<schema::PartSaved>(delivery)) return Verdict::deliver;
    if (!first) first = delivery.now;
    return delivery.now < *first + 2s ? Verdict::drop : Verdict::deliver;
  });
  finish(timed, 10).read([](auto read) { BOOST_TEST(read.getCheckpointsLate() == 0u); });
}

// Goal: a computed interval follows from what checkpoints are measured to cost and from the
// failures there are, and is the same whenever the run is repeated. Method: messages take 10 ms, so
// that copying costs two of them; then a shard dies.
BOOST_AUTO_TEST_CASE(a_computed_interval_follows_costs_and_failures) {
  const auto run = [] {
    const SmallData files;
    TrainingJob paced(
        8, {.delay_min = 10ms, .delay_max = 10ms, .detection = 1s},
        {.epochs = 100, .checkpoint_every = 1, .speeds = {0.05, 0.05, 0.05}, .adjust = computed},
        files);
    Saves saves(paced);
    paced.run(75s).value().read([&](schema::Progress::Reader read) {
      // A way to the shards and one back.
      BOOST_TEST(read.getCheckpointLostSeconds() == 0.02, boost::test_tools::tolerance(0.1));
      BOOST_TEST(read.getCheckpointWriteSeconds() > 0.02);
      BOOST_TEST(read.getSecondsBetweenFailures() == 400 + read.getRunSeconds(),
                 boost::test_tools::tolerance(1e-9));
      BOOST_TEST(read.getCheckpointIntervalSeconds() ==
                     trainer::daly_interval_s(read.getCheckpointLostSeconds(),
                                              read.getSecondsBetweenFailures()),
                 boost::test_tools::tolerance(1e-9));
    });
    BOOST_REQUIRE(saves.asked.size() >= 4u);
    // Until one was measured, it is thought to cost a second.
    const auto gap = [&](std::size_t i) {
      return to_seconds(saves.asked[i + 1].when - saves.asked[i].when);
    };
    BOOST_TEST(to_seconds(saves.asked[0].when - runtime::simulation_start) >
               trainer::daly_interval_s(1, 400));
    for (std::size_t i = 0; i + 1 < saves.asked.size(); ++i) {
      BOOST_TEST(gap(i) > trainer::daly_interval_s(0.018, 400));
      BOOST_TEST(gap(i) < trainer::daly_interval_s(0.022, 460) + 0.6);
    }
    BOOST_REQUIRE(bool(paced.simulation().kill_actor(paced.find("shard/0").value(),
                                                     {Errc::unavailable, "by the test"})));
    paced.run(5s).value().read([&](schema::Progress::Reader read) {
      BOOST_TEST(read.getRollbacks() == 1u);
      BOOST_TEST(read.getSecondsBetweenFailures() == (400 + read.getRunSeconds()) / 2,
                 boost::test_tools::tolerance(1e-9));
    });
    std::vector<Instant> when;
    for (const auto& asked : saves.asked) when.push_back(asked.when);
    return when;
  };
  const auto first = run();
  BOOST_TEST((run() == first));
}

BOOST_AUTO_TEST_SUITE_END()

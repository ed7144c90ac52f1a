// What a new coordinator finds and makes of it: that of its own run, and what another has left.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
namespace data = boost::unit_test::data;

namespace succession_sim_test {

struct Succession : TempDir {
  Succession() { write_small_data(*this); }

  static Message<schema::Progress> progress_of(TrainingJob& job) {
    const auto coordinator = job.find("coordinator");
    BOOST_REQUIRE(coordinator.has_value());
    return job.simulation()
        .call(actors::Coordinator{*coordinator}, Message<schema::GetProgress>::make())
        .value();
  }
  static void run(TrainingJob& job, Duration duration) {
    job.simulation().run_until(job.simulation().now() + duration);
  }
  /// Runs until the job's frontier is there.
  static void run_to(TrainingJob& job, std::uint64_t iteration) {
    for (int i = 0; i < 10'000; ++i) {
      run(job, 1ms);
      if (job.find("coordinator") &&
          progress_of(job).read([](auto read) { return read.getIteration(); }) >= iteration)
        return;
    }
    BOOST_FAIL("the job never came to iteration " << iteration);
  }
  static Message<schema::Progress> finish(TrainingJob& job) {
    const auto progress = job.run(3600s);
    for (const auto& line : job.simulation().log_lines())
      BOOST_TEST_MESSAGE(to_seconds(line.time - runtime::simulation_start)
                         << " s " << to_string(line.actor) << " " << line.text);
    BOOST_REQUIRE(progress.has_value());
    progress->read([](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::FINISHED),
                 read.getFailure().getContext().cStr());
    });
    return *progress;
  }
  static std::string hash_of(const Message<schema::Progress>& progress) {
    return progress.read([](auto read) { return std::string(read.getParametersSha256().cStr()); });
  }
  /// The living actors of the job, whichever run they are of, and how many of a kind.
  static std::multiset<std::string> alive(TrainingJob& job) {
    const std::set<std::string> of_a_job{"balancer",        "checkpointer",        "coordinator",
                                         "parameter_shard", "performance_monitor", "worker"};
    std::vector<NodeId> nodes = job.nodes();
    nodes.push_back(job.cluster().head());
    std::multiset<std::string> found;
    for (const NodeId node : nodes)
      for (const auto& actor : job.simulation().actors(node))
        if (actor.alive && of_a_job.contains(std::string(actor.type)))
          found.insert(std::string(actor.type));
    return found;
  }
};

}  // namespace succession_sim_test

BOOST_FIXTURE_TEST_SUITE(succession_sim_test, Succession)

// Goal: a run does not go on with the parameters of another one of the same name whose coordinator
// was given up, and does not leave its actors where they are.
BOOST_DATA_TEST_CASE(what_another_run_left_is_ended_and_not_adopted, data::make({0U, 3U}), saves) {
  const Succession files, calm_files;
  TrainingJob calm(1, {}, {.checkpoint_every = saves, .seed = 4}, calm_files);
  const std::string expected = hash_of(finish(calm));

  TrainingJob job(1, {}, {.checkpoint_every = saves, .seed = 3}, files);
  run_to(job, 4);
  job.abandon();
  run(job, 100ms);
  BOOST_TEST(alive(job).count("parameter_shard") == 2u);
  job.submit({.checkpoint_every = saves, .seed = 4});
  const auto progress = finish(job);
  BOOST_TEST(hash_of(progress) == expected);
  BOOST_TEST(told(progress, "an earlier run of the job has left"));
  run(job, 30s);
  const auto left = alive(job);
  BOOST_TEST(left.count("worker") == 3u);
  BOOST_TEST(left.count("parameter_shard") == 2u);
  BOOST_TEST(left.count("balancer") == 1u);
  BOOST_TEST(left.count("performance_monitor") == 1u);
  BOOST_TEST(left.count("checkpointer") == (saves ? 3u : 0u));
}

// When all shards die: with their coordinator, or while its successor reads what is stored.
enum class Moment { with_coordinator, after_looking_around };

// Ends the coordinator and all shards.
void lose_all(TrainingJob& job, Moment moment) {
  const auto lose_shards = [&job, shards = std::vector{job.find("shard/0"), job.find("shard/1")}] {
    for (const auto& shard : shards)
      (void)job.simulation().kill_actor(shard.value(), {Errc::internal, "by the test"});
  };
  job.kill_coordinator();
  if (moment == Moment::with_coordinator) return lose_shards();
  job.simulation().observe([lose_shards, done = false](const runtime::Delivery& delivery) mutable {
    if (delivery.message.type == runtime::type_id<schema::LoadNewest>() &&
        !std::exchange(done, true))
      lose_shards();
    return runtime::Verdict::deliver;
  });
}

constexpr Moment moments[] = {Moment::with_coordinator, Moment::after_looking_around};

// Goal: a run that has no checkpoint yet starts again, and not from what another one has left.
BOOST_DATA_TEST_CASE(a_run_without_shards_takes_no_other_runs_checkpoint, data::xrange(2), moment) {
  const Succession files, calm_files;
  TrainingJob calm(1, {}, {.seed = 4}, calm_files);
  const std::string expected = hash_of(finish(calm));
  {
    TrainingJob earlier(1, {}, {.checkpoint_every = 3, .seed = 3}, files);
    finish(earlier);
  }
  TrainingJob job(2, {}, {.checkpoint_every = 3, .seed = 4}, files);
  run_to(job, 2);
  lose_all(job, moments[moment]);
  BOOST_TEST(hash_of(finish(job)) == expected);
}

BOOST_DATA_TEST_CASE(a_run_without_shards_goes_on_from_its_own_newest_checkpoint,
                     data::xrange(2) * data::make({false, true}), moment, resume) {
  const Succession files, calm_files;
  TrainingJob calm(1, {}, {}, calm_files);
  const std::string expected = hash_of(finish(calm));
  {
    TrainingJob earlier(1, {}, {.checkpoint_every = 2}, files);
    run_to(earlier, 3);
  }
  TrainingJob job(2, {}, {.checkpoint_every = 3, .resume = resume}, files);
  run_to(job, 8);
  const auto saved = progress_of(job).read([](auto read) { return read.getLastCheckpoint(); });
  BOOST_TEST(saved == 6);
  lose_all(job, moments[moment]);
  const auto progress = finish(job);
  BOOST_TEST(hash_of(progress) == expected);
  BOOST_TEST(told(progress, "training from iteration 6 of 10"));
  progress.read([resume](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 1u);
    BOOST_TEST(read.getResumedFrom() == (resume ? 2 : -1));
    BOOST_TEST(read.getRunSamples() == 2u * 103 - (resume ? 48u : 0u));
  });
}

// Goal: what is reported of a run does not begin again with another coordinator.
BOOST_DATA_TEST_CASE(a_successor_goes_on_counting, data::make({"bsp", "a_dsp"}), mode) {
  const Succession files;
  TrainingJob job(1, {.detection = 1s}, {.mode = mode, .workers = 2, .epochs = 4, .speeds = {1, 1}},
                  files);
  run_to(job, 2);
  job.replace_node(2);
  run_to(job, 12);
  const auto before = progress_of(job);
  job.kill_coordinator();
  run(job, 500ms);
  const auto after = progress_of(job);
  before.read([&](schema::Progress::Reader was) {
    BOOST_TEST(was.getRollbacks() == 1u);
    after.read([&](schema::Progress::Reader is) {
      BOOST_TEST(is.getTerm() > was.getTerm());
      BOOST_TEST(is.getRollbacks() == 1u);
      BOOST_TEST(is.getLostIterations() == was.getLostIterations());
      // The pause between the two counts.
      BOOST_TEST(is.getRunSeconds() > was.getRunSeconds() + 0.1);
    });
  });
  finish(job).read([&](schema::Progress::Reader read) {
    BOOST_TEST(read.getRunSamples() == 4u * 103);
    std::uint64_t by_workers = 0;
    for (const auto worker : read.getWorkers()) {
      by_workers += worker.getSamples();
      const double waited = read.getRunSeconds() - worker.getBusySeconds();
      BOOST_TEST(worker.getIdleFraction() == waited / read.getRunSeconds(),
                 boost::test_tools::tolerance(0.1));
    }
    // What was brought in just before the end was not told any more.
    BOOST_TEST(by_workers + 3u * 24 >= 4u * 103);
  });
}

BOOST_AUTO_TEST_CASE(a_wish_to_stop_outlives_the_coordinator_it_was_told) {
  TrainingJob job(1, {}, {.epochs = 1000, .checkpoint_every = 1000}, *this);
  run_to(job, 3);
  BOOST_TEST(bool(job.simulation().call(actors::Coordinator{job.find("coordinator").value()},
                                        Message<schema::StopJob>::make())));
  job.kill_coordinator();
  job.run(60s)->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::STOPPED));
    BOOST_TEST(read.getLastCheckpoint() == static_cast<std::int64_t>(read.getIteration()));
  });
}

// Kills the coordinator when it is first sent a `T`, and calls `see` with every later delivery.
template <class T>
void kill_at(TrainingJob& job, std::function<void(const runtime::Delivery&)> see) {
  job.simulation().observe([see, done = false](const runtime::Delivery& delivery) mutable {
    if (done) see(delivery);
    if (done || delivery.message.type != runtime::type_id<T>()) return runtime::Verdict::deliver;
    done = true;
    return runtime::Verdict::kill_receiver_before;
  });
}

// Goal: what was due at the very iteration at which a coordinator died is done by the next one.
BOOST_DATA_TEST_CASE(an_evaluation_that_a_death_interrupts_is_made, data::make({"bsp", "a_dsp"}),
                     mode) {
  const Succession files;
  TrainingJob job(1, {}, {.mode = mode}, files);
  std::set<std::uint64_t> evaluated;
  kill_at<schema::Evaluated>(job, [&evaluated](const runtime::Delivery& delivery) {
    if (delivery.message.type == runtime::type_id<schema::Grant>())
      Message<schema::Grant>::adopt(delivery.message.words).read([&](schema::Grant::Reader read) {
        if (read.isEvaluate()) evaluated.insert(read.getEvaluate().getVersion());
      });
  });
  finish(job);
  BOOST_TEST((evaluated == std::set<std::uint64_t>{5, 10}));
}

template <class T>
std::set<std::uint64_t> saved_after_death_at(const std::string& mode) {
  const Succession files;
  TrainingJob job(1, {}, {.mode = mode, .checkpoint_every = 3}, files);
  std::set<std::uint64_t> saved;
  kill_at<T>(job, [&saved](const runtime::Delivery& delivery) {
    if (delivery.message.type == runtime::type_id<schema::CommitCheckpoint>())
      Message<schema::CommitCheckpoint>::adopt(delivery.message.words).read([&](auto read) {
        saved.insert(read.getManifest().getIteration());
      });
  });
  Succession::finish(job);
  return saved;
}

BOOST_DATA_TEST_CASE(a_checkpoint_that_a_death_interrupts_is_made, data::make({"bsp", "a_dsp"}),
                     mode) {
  // Before anything else is computed.
  BOOST_TEST((saved_after_death_at<schema::Copied>(mode) == std::set<std::uint64_t>{3, 6, 9, 10}));
  // Perhaps after, and then at the next iteration there is.
  const auto saved = saved_after_death_at<schema::PartSaved>(mode);
  BOOST_REQUIRE(!saved.empty());
  BOOST_TEST(*saved.begin() < 6u);
  for (const std::uint64_t iteration : {6U, 9U, 10U}) BOOST_TEST(saved.contains(iteration));
}

// Goal: a wish to stop while shards are being adopted loses nothing that they have. Method: the
// wish comes as soon as there is another coordinator to take it.
BOOST_AUTO_TEST_CASE(a_wish_to_stop_that_meets_a_succession_waits_for_the_shards) {
  TrainingJob job(1, {}, {.epochs = 1000, .checkpoint_every = 1000}, *this);
  run_to(job, 30);
  const auto old = job.find("coordinator");
  job.kill_coordinator();
  auto successor = job.find("coordinator");
  for (; !successor || successor == old; successor = job.find("coordinator")) run(job, 1ms);
  BOOST_TEST(bool(
      job.simulation().call(actors::Coordinator{*successor}, Message<schema::StopJob>::make())));
  job.run(60s)->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::STOPPED));
    BOOST_TEST(read.getIteration() >= 30u);
    BOOST_TEST(read.getLastCheckpoint() == static_cast<std::int64_t>(read.getIteration()));
  });
}

// Goal: what shards said before a rollback is not taken for what the new ones have. Method: the
// successor hears no history and no worker, so it waits with what it adopted while a shard dies.
BOOST_AUTO_TEST_CASE(a_shard_that_dies_while_a_successor_waits_for_workers_is_replaced) {
  const Succession calm_files;
  TrainingJob calm(1, {}, {}, calm_files);
  const std::string expected = hash_of(finish(calm));
  TrainingJob job(1, {}, {}, *this);
  bool silent = false;
  job.simulation().observe([&silent](const runtime::Delivery& delivery) {
    const std::uint64_t type = delivery.message.type;
    const bool lost = type == runtime::type_id<schema::JobHistory>() ||
                      (silent && type == runtime::type_id<schema::Description>());
    return lost ? runtime::Verdict::drop : runtime::Verdict::deliver;
  });
  run_to(job, 2);
  silent = true;
  job.kill_coordinator();
  run(job, 2s);
  (void)job.simulation().kill_actor(job.find("shard/0").value(), {Errc::internal, "by the test"});
  run(job, 2s);
  silent = false;
  BOOST_TEST(hash_of(finish(job)) == expected);
}

BOOST_AUTO_TEST_SUITE_END()

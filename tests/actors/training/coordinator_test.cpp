#include "actors/training/coordinator.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

namespace {

struct Coordinating : TempDir {
  Coordinating() { write_small_data(*this); }

  static actors::Coordinator coordinator_of(TrainingJob& job) {
    const auto address = job.find("coordinator");
    BOOST_REQUIRE(address.has_value());
    return {*address};
  }
  static Message<schema::Progress> progress_of(TrainingJob& job, std::uint64_t events_from = 0) {
    return job.simulation()
        .call(coordinator_of(job), Message<schema::GetProgress>::make(
                                       [=](auto root) { root.setEventsFrom(events_from); }))
        .value();
  }
  static void run(TrainingJob& job, Duration duration) {
    job.simulation().run_until(job.simulation().now() + duration);
  }
  static schema::JobState state_of(const Message<schema::Progress>& progress) {
    return progress.read([](auto read) { return read.getState(); });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(coordinator_test, Coordinating)

BOOST_AUTO_TEST_CASE(a_job_trains_every_sample_and_ends_with_a_score) {
  TrainingJob job(1, {}, {}, *this);
  const auto progress = job.run(600s);
  BOOST_REQUIRE(progress.has_value());
  progress->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FINISHED));
    BOOST_TEST(read.getSamples() == 2u * 103);
    BOOST_TEST(read.getRollbacks() == 0u);
    BOOST_TEST(read.getTestAccuracy() > 1.0 / 3);
    BOOST_TEST(read.getParametersSha256().size() == 64u);
    std::uint64_t by_workers = 0;
    for (const auto worker : read.getWorkers()) by_workers += worker.getSamples();
    BOOST_TEST(by_workers == 2u * 103);
  });
}

BOOST_AUTO_TEST_CASE(an_unknown_mode_fails_the_job_and_is_named) {
  TrainingJob job(1, {}, {.mode = "whenever"}, *this);
  const auto progress = job.run(60s);
  BOOST_REQUIRE(progress.has_value());
  progress->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FAILED));
    const std::string why = read.getFailure().getContext().cStr();
    BOOST_TEST(why.find("whenever") != std::string::npos);
  });
}

BOOST_AUTO_TEST_CASE(data_that_are_not_there_fail_the_job_and_are_named) {
  std::filesystem::remove(path() / "train-labels");
  TrainingJob job(1, {}, {}, *this);
  const auto progress = job.run(60s);
  BOOST_REQUIRE(progress.has_value());
  progress->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FAILED));
    const std::string why = read.getFailure().getContext().cStr();
    BOOST_TEST(why.find("train-labels") != std::string::npos);
  });
}

BOOST_AUTO_TEST_CASE(strangers_are_granted_nothing) {
  TrainingJob job(1, {}, {.epochs = 1000}, *this);
  run(job, 5s);
  const std::uint64_t term = progress_of(job).read([](auto read) { return read.getTerm(); });
  BOOST_TEST((state_of(progress_of(job)) == schema::JobState::TRAINING));
  // The right term and a worker there is, but not from that worker.
  const auto next =
      job.simulation().call(coordinator_of(job), Message<schema::Next>::make([&](auto root) {
                              root.setTerm(term);
                              root.setSequence(1'000'000);
                            }));
  BOOST_TEST((next.error().code == Errc::stale));
  // A worker that there is not.
  const auto seal =
      job.simulation().call(coordinator_of(job), Message<schema::Seal>::make([&](auto root) {
                              root.setTerm(term);
                              root.setWorker(99);
                            }));
  BOOST_TEST((seal.error().code == Errc::stale));
  BOOST_TEST((state_of(progress_of(job)) == schema::JobState::TRAINING));
}

BOOST_AUTO_TEST_CASE(a_stopped_job_can_go_on_from_where_it_stopped) {
  const TrainingJob::Settings settings{.epochs = 1000, .checkpoint_every = 1'000'000};
  std::int64_t stopped_at = 0;
  {
    TrainingJob job(1, {}, settings, *this);
    run(job, 5s);
    BOOST_TEST(bool(job.simulation().call(coordinator_of(job), Message<schema::StopJob>::make())));
    const auto progress = job.run(60s);
    BOOST_REQUIRE(progress.has_value());
    progress->read([&](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::STOPPED));
      BOOST_TEST(read.getIteration() > 0u);
      stopped_at = static_cast<std::int64_t>(read.getIteration());
      BOOST_TEST(read.getLastCheckpoint() == stopped_at);
    });
  }
  auto resumed = settings;
  resumed.resume = true;
  TrainingJob job(2, {}, resumed, *this);
  run(job, 5s);
  progress_of(job).read([&](schema::Progress::Reader read) {
    BOOST_TEST(read.getResumedFrom() == stopped_at);
    BOOST_TEST(static_cast<std::int64_t>(read.getIteration()) > stopped_at);
  });
}

BOOST_AUTO_TEST_CASE(events_are_told_from_where_the_asker_left_off) {
  TrainingJob job(1, {}, {.epochs = 1000}, *this);
  run(job, 5s);
  const auto worker = job.find("worker/0");
  BOOST_REQUIRE(worker.has_value());
  const std::uint64_t known = progress_of(job).read([](auto read) { return read.getNextEvent(); });
  BOOST_TEST(bool(job.simulation().kill_actor(*worker, {Errc::unavailable, "by the test"})));
  run(job, 1s);
  progress_of(job, known).read([&](schema::Progress::Reader read) {
    BOOST_REQUIRE(read.getEvents().size() > 0u);
    BOOST_TEST(read.getNextEvent() == known + read.getEvents().size());
    const std::string text = read.getEvents()[0].getText().cStr();
    BOOST_TEST(text.find("worker 0 died") != std::string::npos);
  });
}

BOOST_AUTO_TEST_CASE(what_goes_and_comes_back_is_told_once_each) {
  TrainingJob job(1, {}, {.epochs = 100000}, *this);
  run(job, 5s);
  const auto worker = job.find("worker/0");
  BOOST_REQUIRE(worker.has_value());
  const auto told = [&job](std::string_view part) {
    unsigned count = 0;
    progress_of(job).read([&](schema::Progress::Reader read) {
      for (const auto event : read.getEvents())
        count += std::string_view(event.getText().cStr()).find(part) != std::string_view::npos;
    });
    return count;
  };
  BOOST_TEST(told("is at work again") == 0u);
  BOOST_TEST(bool(job.simulation().kill_actor(*worker, {Errc::unavailable, "by the test"})));
  run(job, 5s);
  BOOST_TEST(told("worker 0 died") == 1u);
  BOOST_TEST(told("worker 0 is at work again on ") == 1u);

  const auto nodes = job.nodes();
  for (const NodeId node : nodes) job.simulation().kill_node(node);
  run(job, 60s);
  BOOST_TEST(told("no node with role \"shard\" is there") == 1u);
  BOOST_TEST(told("there is a node with role \"shard\" again") == 0u);
  BOOST_TEST(told("worker 0 died") == 2u);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    job.cluster().add_node("new-" + std::to_string(i), {"worker", "shard"});
  run(job, 60s);
  BOOST_TEST(told("no node with role \"shard\" is there") == 1u);
  BOOST_TEST(told("there is a node with role \"shard\" again") == 1u);
  BOOST_TEST(told("worker 0 is at work again on ") == 2u);
}

BOOST_AUTO_TEST_CASE(nothing_is_left_of_a_job_that_was_ended) {
  TrainingJob job(1, {}, {.epochs = 1000, .checkpoint_every = 5}, *this);
  run(job, 5s);
  const auto coordinator = coordinator_of(job);
  BOOST_TEST(bool(job.simulation().call(
      job.cluster().supervisor(),
      Message<schema::Release>::make([](auto root) { root.setName("job/small/coordinator"); }))));
  BOOST_TEST(bool(job.simulation().call(coordinator, Message<schema::EndJob>::make())));
  run(job, 30s);
  std::set<std::string> alive;
  std::vector<NodeId> nodes = job.nodes();
  nodes.push_back(job.cluster().head());
  const std::set<std::string> of_the_job{"balancer",        "checkpointer",        "coordinator",
                                         "parameter_shard", "performance_monitor", "worker"};
  for (const NodeId node : nodes)
    for (const auto& actor : job.simulation().actors(node))
      if (actor.alive && of_the_job.contains(std::string(actor.type)))
        alive.insert(std::string(actor.type));
  BOOST_TEST(alive.empty());
}

BOOST_AUTO_TEST_SUITE_END()

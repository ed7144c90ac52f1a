#include "actors/training/coordinator.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <regex>
#include <set>

#include "tests/actors/training/stranger.hpp"
#include "tests/sim/training_job.hpp"
#include "tests/sim/unsealed_groups.hpp"
#include "trainer/data/work_plan.hpp"
#include "trainer/optim/schedules.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

namespace coordinator_test {

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

}  // namespace coordinator_test

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

BOOST_AUTO_TEST_CASE(every_push_brings_the_rate_of_its_iteration) {
  const auto schedule = trainer::Schedule::make(
      "cosine", {.learning_rate = 0.1, .epochs = 2, .training_samples = 103});
  const trainer::WorkPlan plan{.samples = 103, .batch = 24, .block = 4, .epochs = 2};
  for (const char* mode : {"bsp", "asp", "a_dsp"}) {
    TrainingJob job(1, {}, {.mode = mode, .schedule = schema::Schedule::COSINE}, *this);
    std::set<std::uint64_t> iterations;
    job.simulation().observe([&](const runtime::Delivery& delivery) {
      if (delivery.message.type == runtime::type_id<schema::Push>())
        Message<schema::Push>::adopt(delivery.message.words).read([&](schema::Push::Reader push) {
          iterations.insert(push.getIteration());
          BOOST_TEST(push.getLearningRate() ==
                     schedule->learning_rate(plan.samples_before(push.getIteration())));
        });
      return runtime::Verdict::deliver;
    });
    BOOST_TEST((state_of(*job.run(60s)) == schema::JobState::FINISHED));
    BOOST_TEST(iterations.size() == plan.iterations());
  }
}

// Goal: outside committed modes workers have a group ahead, but none beyond a boundary, and none
// that is not through is asked to evaluate.
BOOST_AUTO_TEST_CASE(leases_run_ahead_up_to_the_boundary) {
  for (const char* mode : {"bsp", "a_dsp"}) {
    TrainingJob job(1, {}, {.mode = mode, .epochs = 4}, *this);
    UnsealedGroups unsealed;
    std::uint64_t newest = 0;
    std::size_t evaluated = 0;
    job.simulation().observe([&](const runtime::Delivery& delivery) {
      unsealed.see(delivery);
      if (delivery.message.type != runtime::type_id<schema::Grant>())
        return runtime::Verdict::deliver;
      Message<schema::Grant>::adopt(delivery.message.words).read([&](schema::Grant::Reader grant) {
        if (grant.isCompute()) newest = std::max(newest, grant.getCompute().getIteration());
        if (!grant.isEvaluate()) return;
        ++evaluated;
        BOOST_TEST(unsealed.of(delivery.to) == 0u);
        BOOST_TEST(newest + 1 == grant.getEvaluate().getVersion());
      });
      return runtime::Verdict::deliver;
    });
    const auto progress = job.run(60s);
    BOOST_TEST((state_of(*progress) == schema::JobState::FINISHED));
    BOOST_TEST(evaluated > 0u);
    BOOST_TEST((unsealed.ahead() > 0) == (mode == std::string("a_dsp")));
  }
}

// Goal: overlapping groups count their computing only, so nobody is busy for longer than it is
// there.
BOOST_AUTO_TEST_CASE(with_leases_ahead_workers_are_busy_for_what_they_compute) {
  TrainingJob job(1, {}, {.mode = "a_dsp", .workers = 2, .epochs = 8, .speeds = {1, 0.5}}, *this);
  job.run(600s)->read([&](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FINISHED));
    double computed = 0;
    for (const auto worker : read.getWorkers()) {
      const double speed = worker.getWorker() == 0 ? 1 : 0.5;
      // A millisecond for a sample; what was computed twice, because overdue, counts for both.
      BOOST_TEST(worker.getBusySeconds() >=
                 static_cast<double>(worker.getSamples()) * 0.001 / speed - 1e-6);
      BOOST_TEST(worker.getBusySeconds() <= read.getRunSeconds());
      const double waited = read.getRunSeconds() - worker.getBusySeconds();
      BOOST_TEST(worker.getIdleFraction() == waited / read.getRunSeconds(),
                 boost::test_tools::tolerance(0.02));
      computed += worker.getBusySeconds() * speed;
    }
    BOOST_TEST(computed == 8 * 0.103, boost::test_tools::tolerance(0.05));
  });
}

// Case C5. Method: after one step of this size no gradient is finite. Exact sums refuse it on the
// worker, others on the shard.
BOOST_AUTO_TEST_CASE(a_diverged_job_fails_and_says_on_which_samples) {
  for (const char* mode : {"bsp", "a_dsp"})
    for (const bool reproducible : {false, true}) {
      TrainingJob job(1, {}, {.mode = mode, .reproducible = reproducible, .learning_rate = 1e30},
                      *this);
      const auto progress = job.run(60s);
      BOOST_REQUIRE(progress.has_value());
      progress->read([](schema::Progress::Reader read) {
        BOOST_TEST((read.getState() == schema::JobState::FAILED));
        BOOST_TEST(read.getRefusedPushes() > 0u);
        const std::string why = read.getFailure().getContext().cStr();
        const std::regex named(
            "worker [0-2]: .*iteration 1, samples (2[4-9]|3[0-9]|4[0-7]) to .* "
            "of epoch 1: .*");
        BOOST_TEST(std::regex_match(why, named));
      });
    }
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

// Goal: what is said of the workers is said of the whole run, rollbacks included: what was computed
// twice counts twice, and who waits for new shards is idle.
BOOST_AUTO_TEST_CASE(workers_are_accounted_for_since_the_run_began) {
  TrainingJob job(1, {.detection = 1s}, {.workers = 2, .epochs = 4, .speeds = {1, 1}}, *this);
  run(job, 150ms);
  const std::uint64_t before =
      progress_of(job).read([](auto read) { return read.getRunSamples(); });
  BOOST_TEST(before > 0u);
  job.replace_node(2);
  job.run(600s)->read([&](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 1u);
    std::uint64_t by_workers = 0;
    for (const auto worker : read.getWorkers()) {
      by_workers += worker.getSamples();
      const double waited = read.getRunSeconds() - worker.getBusySeconds();
      BOOST_TEST(worker.getIdleFraction() == waited / read.getRunSeconds(),
                 boost::test_tools::tolerance(0.02));
    }
    BOOST_TEST(by_workers >= 4u * 103 + before);
  });
}

// Goal: the run's clock stands still while a job is evaluated, not while what follows a shard's
// death at that moment is done again.
BOOST_AUTO_TEST_CASE(a_rollback_during_an_evaluation_sets_the_clock_going) {
  TrainingJob job(1, {}, {.workers = 1, .speeds = {1}}, *this);
  run(job, 60ms);
  auto shard = job.find("shard/0");
  BOOST_REQUIRE(shard.has_value());
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (shard && delivery.message.type == runtime::type_id<schema::Evaluated>())
      (void)job.simulation().kill_actor(*std::exchange(shard, std::nullopt),
                                        {Errc::unavailable, "by the test"});
    return runtime::Verdict::deliver;
  });
  job.run(600s)->read([](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 1u);
    BOOST_TEST(read.getLostIterations() == 5u);
    BOOST_TEST(read.getRunSeconds() >= read.getWorkers()[0].getBusySeconds());
  });
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
  const auto told = [&job](std::string_view part) { return tests::told(progress_of(job), part); };
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

BOOST_AUTO_TEST_CASE(a_balancer_that_is_replaced_is_told_how_long_the_run_has_lasted) {
  auto catalogue = actors::training_types();
  const auto balancer = std::ranges::find(catalogue, "balancer", &runtime::ActorType::name);
  std::vector<std::int64_t> started;
  balancer->make = [&started, usual = balancer->make](runtime::Host& host,
                                                      const runtime::AnyMessage& spec) {
    Message<schema::BalancerSpec>::adopt(spec.words).read([&](auto read) {
      started.push_back(read.getStartedNs());
    });
    return usual(host, spec);
  };
  TrainingJob job(1, {}, {.epochs = 100}, *this, catalogue);
  run(job, 5s);
  (void)job.simulation().kill_actor(job.find("adviser/balancer").value(),
                                    {Errc::internal, "by the test"});
  run(job, 5s);
  BOOST_REQUIRE(started.size() == 2u);
  BOOST_TEST(started[0] == 0);
  BOOST_TEST(to_seconds(Duration(started[1])) > 1);
}

BOOST_AUTO_TEST_CASE(what_workers_take_of_their_machines_is_in_the_progress) {
  const auto usage = [] {
    return Result(MachineUsage{
        .cpu_s = 2, .memory_bytes = 4096, .machine_ticks = 9, .steal_ticks = 1, .run_queue = 5});
  };
  TrainingJob job(1, {}, {}, *this, actors::training_types({.usage = usage}));
  job.run(60s)->read([](schema::Progress::Reader read) {
    for (const auto worker : read.getWorkers()) {
      BOOST_TEST(worker.getUsage().getCpuSeconds() == 2);
      BOOST_TEST(worker.getUsage().getMemoryBytes() == 4096u);
      BOOST_TEST(worker.getUsage().getRunQueue() == 5u);
      BOOST_TEST(worker.getUsage().getBytesIn() > 0u);
    }
  });
}

// Goal: a model whose shards could not be pulled is refused before any shard is started.
BOOST_AUTO_TEST_CASE(
    shards_that_are_too_large_for_a_message_fail_the_job_and_say_how_many_would_do) {
  TrainingJob job(1, {}, {}, *this,
                  with_strangers([](NodeId) { return true; }, strange_description(100'000)));
  job.run(60s)->read([](schema::Progress::Reader progress) {
    BOOST_TEST((progress.getState() == schema::JobState::FAILED));
    // 300,012,003 parameters of 8 bytes in messages of 255 MiB.
    const std::string why = progress.getFailure().getContext().cStr();
    BOOST_TEST(why.find("set shards to at least 9") != std::string::npos, why);
  });
  BOOST_TEST(!job.find("shard/0").has_value());
}

BOOST_AUTO_TEST_SUITE_END()

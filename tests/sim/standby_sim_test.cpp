// Shards with standbys: whoever dies when, what was acknowledged is not lost.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <optional>

#include "tests/sim/eager_shards.hpp"
#include "tests/sim/standby_trial.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
namespace data = boost::unit_test::data;

namespace standby_sim_test {

const std::string& undisturbed() {
  static const std::string hash = [] {
    const SmallData files;
    TrainingJob job(1, {}, {}, files);
    return job.run(600s)->read(
        [](auto read) { return std::string(read.getParametersSha256().cStr()); });
  }();
  return hash;
}

struct Calm : SmallData {
  static Message<schema::Progress> progress_of(TrainingJob& job) {
    return job.simulation()
        .call(actors::Coordinator{job.find("coordinator").value()},
              Message<schema::GetProgress>::make())
        .value();
  }
  static void run(TrainingJob& job, Duration duration) {
    job.simulation().run_until(job.simulation().now() + duration);
  }
  /// Runs until the job trains and each shard has a standby that has everything.
  static void protect(TrainingJob& job, std::uint32_t shards = 2) {
    for (int i = 0; i < 10'000; ++i) {
      run(job, 1ms);
      if (job.find("coordinator") && progress_of(job).read([=](schema::Progress::Reader read) {
            return read.getState() == schema::JobState::TRAINING && read.getStandbys() == shards;
          }))
        return;
    }
    for (const auto& line : job.simulation().log_lines())
      BOOST_TEST_MESSAGE(to_seconds(line.time - runtime::simulation_start)
                         << " s " << to_string(line.actor) << " " << line.text);
    BOOST_FAIL("the shards never had their standbys");
  }
  static Message<schema::Progress> finish(TrainingJob& job) {
    const auto progress = job.run(3600s);
    BOOST_REQUIRE(progress.has_value());
    progress->read([](schema::Progress::Reader read) {
      for (const auto event : read.getEvents()) BOOST_TEST_MESSAGE(event.getText().cStr());
      BOOST_TEST((read.getState() == schema::JobState::FINISHED),
                 read.getFailure().getContext().cStr());
    });
    return *progress;
  }
  static std::string hash_of(const Message<schema::Progress>& progress) {
    return progress.read([](auto read) { return std::string(read.getParametersSha256().cStr()); });
  }
  static std::size_t living_shards(TrainingJob& job) {
    std::size_t count = 0;
    for (const NodeId node : job.nodes())
      for (const auto& actor : job.simulation().actors(node))
        count += actor.alive && actor.type == "parameter_shard";
    return count;
  }
  static void kill(TrainingJob& job, const std::string& name) {
    (void)job.simulation().kill_actor(job.find(name).value(), {Errc::internal, "by the test"});
  }
};

}  // namespace standby_sim_test

BOOST_FIXTURE_TEST_SUITE(standby_sim_test, Calm)

// Goal: whoever dies at whichever step, the job ends, and no shard that is adopted lacks what all
// had acknowledged. In reproducible bsp the parameters are those of the undisturbed job, bit by
// bit.
BOOST_DATA_TEST_CASE(bsp_gives_the_same_parameters_whoever_dies_when, data::xrange(300), seed) {
  StandbyTrial trial(static_cast<std::uint64_t>(seed), "bsp");
  BOOST_TEST(trial.run() == undisturbed());
  BOOST_TEST(trial.lost() == "");
  BOOST_TEST(!trial.reported());
}

// As above; the shards' own check stands for exactness: they refuse a block that is in already,
// which fails the job, and it only ends when all are in.
BOOST_DATA_TEST_CASE(updates_on_arrival_are_applied_once_whoever_dies_when,
                     data::make({"a_dsp", "asp"}) * data::xrange(240), mode, seed) {
  StandbyTrial trial(static_cast<std::uint64_t>(seed), mode);
  BOOST_TEST(trial.run().size() == 64u);
  BOOST_TEST(trial.lost() == "");
  BOOST_TEST(!trial.reported());
}

// Goal: the two tests above would find a shard that acknowledges before its standby has it, and the
// seed that finds it finds it again, step by step.
BOOST_AUTO_TEST_CASE(an_acknowledgement_before_the_standby_has_it_is_found_and_replays) {
  for (const std::string mode : {"bsp", "a_dsp"}) {
    std::optional<std::uint64_t> finder;
    for (std::uint64_t seed = 0; seed < 240 && !finder; ++seed) {
      StandbyTrial trial(seed, mode, with_eager_shards());
      (void)trial.run();
      if (trial.found()) finder = seed;
    }
    BOOST_REQUIRE_MESSAGE(finder, mode << ": no seed finds it");
    BOOST_TEST_MESSAGE(mode << ": seed " << *finder << " finds it");
    StandbyTrial once(*finder, mode, with_eager_shards()),
        again(*finder, mode, with_eager_shards());
    BOOST_TEST(once.run() == again.run());
    BOOST_TEST(once.found());
    BOOST_TEST(once.lost() == again.lost());
    BOOST_TEST(once.deliveries() == again.deliveries());
    // And it is the bug that they find.
    StandbyTrial sound(*finder, mode);
    (void)sound.run();
    BOOST_TEST(!sound.found());
  }
}

// Goal: the seeds above are not about rollbacks alone.
BOOST_AUTO_TEST_CASE(in_some_of_the_seeds_a_standby_takes_over) {
  int takeovers = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    StandbyTrial trial(seed, "bsp");
    (void)trial.run();
    takeovers += trial.takeovers() > 0 ? 1 : 0;
  }
  BOOST_TEST_MESSAGE(takeovers << " of 40");
  BOOST_TEST(takeovers >= 4);
}

// Goal: the death of a shard costs no iteration.
BOOST_DATA_TEST_CASE(a_standby_takes_over_without_a_rollback,
                     data::make({"bsp", "asp", "ssp", "dsp", "dssp", "a_dsp"}), mode) {
  auto settings = replicated(mode);
  settings.epochs = 4;
  TrainingJob job(1, {}, settings, *this);
  protect(job);
  const auto before = progress_of(job).read([](auto read) { return read.getIteration(); });
  kill(job, "shard/1");
  run(job, 200ms);
  const auto after = progress_of(job);
  after.read([&](schema::Progress::Reader read) {
    BOOST_TEST(read.getIteration() > before);
    BOOST_TEST(read.getTakeovers() == 1u);
    // The next one stands by already.
    BOOST_TEST(read.getStandbys() == 2u);
  });
  BOOST_TEST(living_shards(job) == 4u);
  kill(job, "shard/1");
  const auto end = finish(job);
  end.read([](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 0u);
    BOOST_TEST(read.getTakeovers() == 2u);
    BOOST_TEST(read.getRunSamples() == 4u * 103);
  });
  BOOST_TEST(told(end, "its standby took over at iteration") == 2u);
}

// Goal: a machine with one shard's actor and the standby of the other takes neither with it.
BOOST_DATA_TEST_CASE(a_lost_machine_costs_no_iteration, data::xrange(2), which) {
  auto settings = replicated("bsp");
  settings.epochs = 20;
  const SmallData calm_files;
  TrainingJob calm(1, {}, settings, calm_files);
  const std::string expected = hash_of(finish(calm));
  TrainingJob job(2, {.detection = 100ms}, settings, *this);
  protect(job);
  job.simulation().kill_node(job.nodes()[settings.workers + static_cast<std::size_t>(which)]);
  run(job, 200ms);
  job.cluster().add_node("spare", {"shard"});
  protect(job);
  const auto end = finish(job);
  end.read([](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 0u);
    BOOST_TEST(read.getTakeovers() == 1u);
  });
  BOOST_TEST(hash_of(end) == expected);
}

// Goal: shards that die together are replaced together.
BOOST_AUTO_TEST_CASE(two_shards_that_die_at_once_cost_no_iteration) {
  TrainingJob job(3, {}, replicated("bsp"), *this);
  protect(job);
  kill(job, "shard/0");
  kill(job, "shard/1");
  const auto end = finish(job);
  end.read([](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 0u);
    BOOST_TEST(read.getTakeovers() == 2u);
  });
  BOOST_TEST(hash_of(end) == undisturbed());
}

// Goal: without either the job goes back to the newest checkpoint, and says how far.
BOOST_AUTO_TEST_CASE(a_shard_that_dies_with_its_standby_takes_the_job_back) {
  auto settings = replicated("bsp");
  settings.checkpoint_every = 3;
  TrainingJob job(4, {}, settings, *this);
  protect(job);
  kill(job, "standby/1");
  kill(job, "shard/1");
  const auto end = finish(job);
  end.read([](schema::Progress::Reader read) { BOOST_TEST(read.getRollbacks() == 1u); });
  BOOST_TEST(told(end, "iterations are done again") == 1u);
  BOOST_TEST(hash_of(end) == undisturbed());
}

// Goal: a new coordinator ends the standbys that it finds, has new ones, and counts on them.
BOOST_AUTO_TEST_CASE(a_new_coordinator_has_standbys_of_its_own) {
  auto settings = replicated("bsp");
  settings.epochs = 40;
  TrainingJob job(5, {}, settings, *this);
  protect(job);
  const auto old = job.find("standby/0");
  job.kill_coordinator();
  run(job, 300ms);
  protect(job);
  BOOST_TEST((job.find("standby/0") != old));
  BOOST_TEST(living_shards(job) == 4u);
  kill(job, "shard/0");
  const auto end = finish(job);
  end.read([](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 0u);
    BOOST_TEST(read.getTakeovers() == 1u);
  });
}

// Goal: a standby that became a shard is one for the next coordinator, too, whatever its names.
BOOST_AUTO_TEST_CASE(a_standby_that_took_over_outlives_the_coordinator) {
  auto settings = replicated("bsp");
  settings.epochs = 40;
  settings.shards = 1;
  TrainingJob job(6, {}, settings, *this);
  job.cluster().add_node("spare", {"shard"});
  protect(job, 1);
  const auto standby = job.find("standby/0");
  kill(job, "shard/0");
  run(job, 20ms);
  BOOST_TEST((job.find("shard/0") == standby));
  job.kill_coordinator();
  const auto end = finish(job);
  end.read([](schema::Progress::Reader read) { BOOST_TEST(read.getRollbacks() == 0u); });
}

BOOST_AUTO_TEST_SUITE_END()

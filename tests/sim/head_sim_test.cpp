// The head dies at any moment and comes back, and nothing of the job is lost or done twice.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "runtime/base/random.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
namespace data = boost::unit_test::data;

namespace head_sim_test {

struct Heads : TempDir {
  Heads() { write_small_data(*this); }

  static void run(TrainingJob& job, Duration duration) {
    job.simulation().run_until(job.simulation().now() + duration);
  }
  static Duration up_to(Random& random, Duration limit) {
    return Duration(
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(limit / Duration(1)))));
  }
  /// Kills the head; its next process comes after `away`, and the nodes find it a while later.
  static void lose_head(TrainingJob& job, Duration away, Duration found_after) {
    job.simulation().kill_node(job.cluster().head());
    run(job, away);
    job.cluster().restart_head();
    run(job, found_after);
    job.cluster().rejoin();
  }
  static std::string finish(TrainingJob& job, std::uint64_t samples) {
    const auto progress = job.run(3600s);
    for (const auto& line : job.simulation().log_lines())
      BOOST_TEST_MESSAGE(to_seconds(line.time - runtime::simulation_start)
                         << " s " << to_string(line.actor) << " " << line.text);
    BOOST_REQUIRE(progress.has_value());
    return progress->read([samples](schema::Progress::Reader read) -> std::string {
      for (const auto event : read.getEvents()) BOOST_TEST_MESSAGE(event.getText().cStr());
      BOOST_TEST((read.getState() == schema::JobState::FINISHED),
                 read.getFailure().getContext().cStr());
      BOOST_TEST(read.getSamples() == samples);
      return read.getParametersSha256().cStr();
    });
  }
  static std::size_t living(TrainingJob& job, std::string_view type) {
    std::size_t count = 0;
    std::vector<NodeId> nodes = job.nodes();
    nodes.push_back(job.cluster().head());
    for (const NodeId node : nodes)
      for (const auto& actor : job.simulation().actors(node))
        if (actor.alive && actor.type == type) ++count;
    return count;
  }
};

constexpr std::uint64_t samples = 2 * 103;

// What the reproducible job ends with when nothing happens to it.
const std::string& undisturbed() {
  static const std::string hash = [] {
    const Heads files;
    TrainingJob job(1, {}, {}, files);
    return Heads::finish(job, samples);
  }();
  return hash;
}

}  // namespace head_sim_test

BOOST_FIXTURE_TEST_SUITE(head_sim_test, Heads)

// Goal: in lock step the job ends with the very parameters that it has without a death, whenever
// the head dies, however long it is away, and wherever its nodes are when they find it. Method: the
// job takes about 0.2 s of virtual time; nodes notice a death after 5 s.
BOOST_DATA_TEST_CASE(the_job_goes_on_under_the_next_process_of_the_head, data::xrange(60), seed) {
  Random random(static_cast<std::uint64_t>(seed), 77);
  // A checkpoint may fall due while the nodes have not been heard of again.
  TrainingJob job(static_cast<std::uint64_t>(seed), {}, {.checkpoint_every = seed % 2 ? 2U : 0U},
                  *this);
  run(job, up_to(random, 250ms));
  lose_head(job, up_to(random, random.below(2) == 0 ? 500ms : 12s), up_to(random, 1s));
  BOOST_TEST(finish(job, samples) == undisturbed());
}

BOOST_DATA_TEST_CASE(the_head_may_die_again_and_again, data::xrange(15), seed) {
  Random random(static_cast<std::uint64_t>(seed), 78);
  TrainingJob job(static_cast<std::uint64_t>(seed), {}, {.epochs = 6}, *this);
  for (int death = 0; death < 4; ++death) {
    run(job, up_to(random, 300ms));
    lose_head(job, up_to(random, 2s), up_to(random, 200ms));
  }
  const Heads calm_files;
  TrainingJob calm(1, {}, {.epochs = 6}, calm_files);
  BOOST_TEST(finish(job, 3 * samples) == finish(calm, 3 * samples));
}

// Goal: nodes that die while there is no head to notice are found dead by the next one, and the job
// goes back to a checkpoint if it lost a shard.
BOOST_DATA_TEST_CASE(a_node_may_die_while_the_head_is_away, data::xrange(20), seed) {
  Random random(static_cast<std::uint64_t>(seed), 79);
  TrainingJob job(static_cast<std::uint64_t>(seed), {}, {.checkpoint_every = 2}, *this);
  run(job, 20ms + up_to(random, 200ms));
  const std::size_t victim = random.below(job.nodes().size());
  job.simulation().kill_node(job.cluster().head());
  run(job, up_to(random, 100ms));
  job.simulation().kill_node(job.nodes()[victim]);
  run(job, up_to(random, 8s));
  job.cluster().restart_head();
  run(job, up_to(random, 1s));
  job.cluster().rejoin();
  run(job, 10s);
  job.replace_node(victim);
  BOOST_TEST(finish(job, samples) == undisturbed());
}

BOOST_DATA_TEST_CASE(asynchronous_jobs_go_on_too, data::xrange(10) * data::make({"a_dsp", "asp"}),
                     seed, mode) {
  Random random(static_cast<std::uint64_t>(seed), 80);
  TrainingJob job(static_cast<std::uint64_t>(seed), {}, {.mode = mode}, *this);
  run(job, up_to(random, 200ms));
  lose_head(job, up_to(random, 8s), up_to(random, 1s));
  finish(job, samples);
}

// Goal: shards and workers are the same ones, taken over and neither doubled nor begun anew.
BOOST_AUTO_TEST_CASE(what_lives_on_the_nodes_is_taken_over) {
  TrainingJob job(1, {}, {.epochs = 1000}, *this);
  run(job, 300ms);
  const auto shard = job.find("shard/0");
  const auto worker = job.find("worker/1");
  const auto old = job.find("coordinator");
  BOOST_REQUIRE((shard && worker && old));
  lose_head(job, 1s, 100ms);
  run(job, 3s);
  BOOST_TEST((job.find("shard/0") == shard));
  BOOST_TEST((job.find("worker/1") == worker));
  BOOST_REQUIRE(job.find("coordinator").has_value());
  BOOST_TEST((job.find("coordinator")->node == old->node));
  BOOST_TEST(job.find("coordinator")->incarnation > old->incarnation);
  BOOST_TEST(living(job, "coordinator") == 1u);
  BOOST_TEST(living(job, "worker") == 3u);
  BOOST_TEST(living(job, "parameter_shard") == 2u);
  const auto progress =
      job.simulation()
          .call(actors::Coordinator{*job.find("coordinator")}, Message<schema::GetProgress>::make())
          .value();
  progress.read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::TRAINING));
    BOOST_TEST(read.getRollbacks() == 0u);
  });
}

BOOST_AUTO_TEST_SUITE_END()

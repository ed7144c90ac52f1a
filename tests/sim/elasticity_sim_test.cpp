#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <optional>
#include <set>

#include "tests/actors/training/mortal.hpp"
#include "tests/sim/lease_bounds.hpp"
#include "tests/sim/training_job.hpp"
#include "trainer/sync/modes.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
namespace data = boost::unit_test::data;

namespace elasticity_sim_test {

constexpr std::uint32_t samples = 103;

std::vector<std::string> modes() {
  std::vector<std::string> names;
  for (const auto& entry : trainer::sync_modes()) names.emplace_back(entry.name);
  return names;
}

// How many blocks each iteration of the job has; iterations may reach into the next epoch.
std::vector<std::uint32_t> blocks_of(const TrainingJob::Settings& settings) {
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t epoch = 0; epoch < settings.epochs; ++epoch)
    for (std::uint32_t first = 0; first < samples; first += settings.batch) {
      const std::uint32_t count = std::min(settings.batch, samples - first);
      blocks.push_back((count + settings.block - 1) / settings.block);
    }
  return blocks;
}

bool finishes(TrainingJob& job) {
  const auto progress = job.run(600s);
  return progress && progress->read([](schema::Progress::Reader read) {
    return read.getState() == schema::JobState::FINISHED &&
           read.getRunSamples() == read.getSamples();
  });
}

enum class Harm { killed, left, stopped };

[[maybe_unused]] std::ostream& boost_test_print_type(std::ostream& out, Harm harm) {
  return out << (harm == Harm::killed ? "killed" : harm == Harm::left ? "left" : "stopped");
}

void harm(TrainingJob& job, std::size_t worker, Harm how) {
  const NodeId node = job.nodes()[worker];
  if (how == Harm::stopped) return job.simulation().pause_node(node);
  job.simulation().kill_node(node);
  if (how == Harm::killed) return;
  // It said goodbye: nobody waits to notice.
  const Error why{Errc::unavailable, "it left"};
  job.simulation().sever(job.cluster().head(), node, why);
  for (const NodeId other : job.nodes())
    if (other != node) job.simulation().sever(other, node, why);
}

}  // namespace elasticity_sim_test

BOOST_AUTO_TEST_SUITE(elasticity_sim_test)

// Case B3. 103 samples, parts of 50, 30 and 20 %, batches of 8, two epochs.
BOOST_DATA_TEST_CASE(workers_with_unequal_parts_end_together, data::make({"bsp", "ssp"}), mode) {
  const SmallData files;
  const TrainingJob::Settings settings{.mode = mode,
                                       .policy = "oracle",
                                       .batch = 8,
                                       .block = 1,
                                       .reassign = false,
                                       .speeds = {5, 3, 2}};
  TrainingJob job(1, {}, settings, files);
  std::set<std::pair<std::uint64_t, std::uint32_t>> blocks;
  std::uint64_t pushed = 0;
  std::set<std::uint64_t> groups;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (delivery.message.type == runtime::type_id<schema::Push>())
      Message<schema::Push>::adopt(delivery.message.words).read([&](schema::Push::Reader push) {
        // Each group goes to every shard.
        if (!groups.insert(push.getGroup()).second) return;
        pushed += push.getSamples();
        for (const std::uint32_t block : push.getBlocks())
          BOOST_TEST(blocks.emplace(push.getIteration(), block).second);
      });
    return runtime::Verdict::deliver;
  });
  BOOST_TEST(finishes(job));
  // 13 iterations an epoch, the last one of 7 samples, which is its true size.
  BOOST_TEST(pushed == 2 * samples);
  BOOST_TEST(blocks.size() == 2 * samples);
  BOOST_TEST(blocks.contains({12, 6}));
  BOOST_TEST(!blocks.contains({12, 7}));
}

// Case C3: whichever way one of four workers goes, the others go on within the detection time.
BOOST_DATA_TEST_CASE(the_others_go_on_without_a_worker,
                     data::make(modes()) * data::make({Harm::killed, Harm::left, Harm::stopped}),
                     mode, how) {
  const SmallData files;
  const TrainingJob::Settings settings{
      .mode = mode, .workers = 4, .epochs = 20, .speeds = {1, 1, 1, 1}};
  const Duration detection = 100ms;
  TrainingJob job(2, {.detection = detection}, settings, files);
  LeaseBounds bounds(blocks_of(settings));
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    bounds.see(delivery);
    return runtime::Verdict::deliver;
  });
  BOOST_REQUIRE(job.simulation().run_until([&] { return bounds.frontier() >= 10; }, 60s));
  harm(job, 1, how);
  BOOST_TEST(finishes(job));
  BOOST_TEST(bounds.frontier() == blocks_of(settings).size());
  // An iteration of 24 samples of 1 ms takes three workers 8 ms, all of it one worker's 24 ms.
  BOOST_TEST(to_seconds(bounds.longest_pause()) < to_seconds(detection + 50ms));
}

// Case C7: the step does not depend on how many compute it.
// Method: the places of lost nodes are filled on the others after 10 s; who shares a node moves to
// the next one that comes.
BOOST_DATA_TEST_CASE(the_learning_rate_does_not_follow_the_number_of_nodes,
                     data::make({"bsp", "a_dsp"}), mode) {
  const SmallData files;
  const TrainingJob::Settings settings{
      .mode = mode, .workers = 4, .epochs = 2000, .speeds = {1, 1, 1, 1}};
  TrainingJob job(3, {.detection = 10ms}, settings, files);
  LeaseBounds bounds(blocks_of(settings));
  std::set<double> rates;
  std::set<NodeId> nodes;
  std::set<ActorAddress> workers;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    bounds.see(delivery);
    if (delivery.message.type == runtime::type_id<schema::Push>())
      Message<schema::Push>::adopt(delivery.message.words).read([&](schema::Push::Reader push) {
        rates.insert(push.getLearningRate());
        nodes.insert(delivery.from.node);
        workers.insert(delivery.from);
      });
    return runtime::Verdict::deliver;
  });
  // Whoever is at work brings something into five iterations.
  const auto are_at_work = [&](std::size_t nodes_expected, std::size_t workers_expected) {
    const Instant end = job.simulation().now() + 20s;
    do {
      nodes.clear(), workers.clear();
      const std::uint64_t until = bounds.frontier() + 5;
      BOOST_REQUIRE(job.simulation().run_until([&] { return bounds.frontier() >= until; }, 60s));
      if (nodes.size() == nodes_expected && workers.size() == workers_expected) return true;
    } while (job.simulation().now() < end);
    return false;
  };
  const auto kill = [&](std::size_t index) { job.simulation().kill_node(job.nodes()[index]); };
  BOOST_TEST(are_at_work(4, 4));
  kill(2), kill(3);
  BOOST_TEST(are_at_work(2, 2));
  BOOST_TEST(are_at_work(2, 4));
  job.replace_node(2);
  BOOST_TEST(are_at_work(3, 4));
  kill(2);
  BOOST_TEST(are_at_work(2, 3));
  job.replace_node(2), job.replace_node(3);
  BOOST_TEST(are_at_work(4, 4));
  kill(0), kill(1);
  BOOST_TEST(are_at_work(2, 2));
  const std::set<double> one{0.1};
  BOOST_TEST(rates == one, boost::test_tools::per_element());
  BOOST_TEST(bounds.frontier() < blocks_of(settings).size());
}

// Case C9: a bound of 2, a worker of a quarter of the speed, and then its death.
BOOST_DATA_TEST_CASE(nobody_runs_ahead_of_the_bound_and_the_dead_hold_up_nobody,
                     data::make({false, true}), dies) {
  const SmallData files;
  const TrainingJob::Settings settings{.mode = "ssp",
                                       .policy = "equal",
                                       .workers = 4,
                                       .epochs = 8,
                                       .staleness_max = 2,
                                       .reassign = false,
                                       .speeds = {1, 1, 1, 0.25}};
  const Duration detection = 100ms;
  TrainingJob job(4, {.detection = detection}, settings, files);
  LeaseBounds bounds(blocks_of(settings));
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    bounds.see(delivery);
    return runtime::Verdict::deliver;
  });
  BOOST_REQUIRE(job.simulation().run_until([&] { return bounds.frontier() >= 6; }, 60s));
  // The others are held back by the slow one, as the bound wants it.
  BOOST_TEST(bounds.lead() == 2u);
  if (dies) harm(job, 3, Harm::killed);
  BOOST_TEST(finishes(job));
  BOOST_TEST(bounds.lead() == 2u);
  BOOST_TEST(to_seconds(bounds.longest_pause()) < to_seconds(detection + 50ms));
}

// Goal: a newcomer that cannot keep a worker costs one and does not draw in the others.
BOOST_AUTO_TEST_CASE(workers_do_not_move_on_to_a_node_on_which_they_die) {
  const SmallData files;
  std::optional<NodeId> deadly;
  const TrainingJob::Settings settings{.workers = 4, .epochs = 4000, .speeds = {1, 1, 1, 1}};
  TrainingJob job(5, {.detection = 10ms}, settings, files,
                  with_mortal_workers([&deadly](NodeId node) { return deadly == node; }));
  LeaseBounds bounds(blocks_of(settings));
  std::set<ActorAddress> workers;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    bounds.see(delivery);
    if (delivery.message.type == runtime::type_id<schema::Push>()) workers.insert(delivery.from);
    return runtime::Verdict::deliver;
  });
  const auto run = [&](Duration time) {
    job.simulation().run_until(job.simulation().now() + time);
    workers.clear();
    const std::uint64_t until = bounds.frontier() + 5;
    BOOST_REQUIRE(job.simulation().run_until([&] { return bounds.frontier() >= until; }, 60s));
    return workers.size();
  };
  BOOST_TEST(run(100ms) == 4u);
  for (const std::size_t index : {1U, 2U, 3U}) job.simulation().kill_node(job.nodes()[index]);
  BOOST_TEST(run(15s) == 4u);
  deadly = job.cluster().add_node("newcomer", {"worker"});
  std::size_t fewest = 4;
  for (int i = 0; i < 40; ++i) fewest = std::min(fewest, run(500ms));
  BOOST_TEST(fewest >= 3u);
  // It is back on the good node once that is the better place by all that died on the other.
  BOOST_TEST(run(60s) == 4u);
}

BOOST_AUTO_TEST_SUITE_END()

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>

#include "actors/training/coordinator.hpp"
#include "tests/actors/training/mortal.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

BOOST_FIXTURE_TEST_SUITE(coordinator_deployment_test, SmallData)

// Goal: what kills every shard while it starts, such as a model larger than the memory, ends the
// job; before, it was deployed again for ever.
BOOST_AUTO_TEST_CASE(shards_that_all_die_while_they_start_fail_the_job) {
  TrainingJob job(1, {}, {}, *this, with_mortal_shards([](NodeId) { return true; }));
  const auto progress = job.run(600s);
  BOOST_REQUIRE(progress.has_value());
  progress->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FAILED));
    const std::string why = read.getFailure().getContext().cStr();
    BOOST_TEST(why.find("std::bad_alloc") != std::string::npos, why);
    BOOST_TEST(why.find("so did those before it") != std::string::npos, why);
  });
}

// Goal: a node on which shards die is left to its own when there is another one.
BOOST_AUTO_TEST_CASE(a_node_on_which_shards_die_does_not_fail_the_job) {
  std::optional<NodeId> deadly;
  TrainingJob job(1, {}, {}, *this,
                  with_mortal_shards([&deadly](NodeId node) { return deadly == node; }));
  deadly = job.nodes().back();
  const auto progress = job.run(600s);
  BOOST_REQUIRE(progress.has_value());
  progress->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FINISHED),
               read.getFailure().getContext().cStr());
  });
}

// Goal: a rack that dies is one loss and not ten.
BOOST_AUTO_TEST_CASE(nodes_that_die_together_do_not_fail_the_job) {
  TrainingJob job(1, {}, {.shards = 14, .epochs = 200, .checkpoint_every = 5}, *this);
  const auto coordinator = [&job] { return actors::Coordinator{job.find("coordinator").value()}; };
  const auto progress = [&] {
    return job.simulation().call(coordinator(), Message<schema::GetProgress>::make()).value();
  };
  job.simulation().run_until(job.simulation().now() + 10s);
  BOOST_REQUIRE(progress().read([](auto read) { return read.getLastCheckpoint() > 0; }));
  for (auto node = job.nodes().rbegin(); node != job.nodes().rbegin() + 13; ++node)
    job.simulation().kill_node(*node);
  const auto end = job.run(600s);
  BOOST_REQUIRE(end.has_value());
  end->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FINISHED),
               read.getFailure().getContext().cStr());
    BOOST_TEST(read.getRollbacks() > 0u);
  });
}

BOOST_AUTO_TEST_SUITE_END()

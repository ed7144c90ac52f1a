#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "actors/training/coordinator.hpp"
#include "tests/actors/training/mortal.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

namespace coordinator_standbys_test {

struct Standbys : SmallData {
  static TrainingJob::Settings settings(std::uint32_t shards, std::uint32_t replicas = 1) {
    return {
        .shards = shards, .epochs = 10'000, .adjust = [=](auto job) { job.setReplicas(replicas); }};
  }
  static void run(TrainingJob& job, Duration duration) {
    job.simulation().run_until(job.simulation().now() + duration);
  }
  static Message<schema::Progress> progress_of(TrainingJob& job) {
    return job.simulation()
        .call(actors::Coordinator{job.find("coordinator").value()},
              Message<schema::GetProgress>::make())
        .value();
  }
  static std::uint32_t ready(TrainingJob& job) {
    return progress_of(job).read([](auto read) { return read.getStandbys(); });
  }
  static NodeId node_of(TrainingJob& job, const std::string& name) {
    const auto found = job.find(name);
    BOOST_REQUIRE_MESSAGE(found.has_value(), name);
    return found->node;
  }
};

}  // namespace coordinator_standbys_test

BOOST_FIXTURE_TEST_SUITE(coordinator_standbys_test, Standbys)

BOOST_AUTO_TEST_CASE(each_shard_has_a_standby_on_another_node) {
  TrainingJob job(1, {}, settings(3), *this);
  run(job, 1s);
  BOOST_TEST(ready(job) == 3u);
  std::set<NodeId> nodes;
  for (const std::string shard : {"0", "1", "2"}) {
    BOOST_TEST((node_of(job, "standby/" + shard) != node_of(job, "shard/" + shard)));
    nodes.insert(node_of(job, "standby/" + shard));
  }
  BOOST_TEST(nodes.size() == 3u);
  BOOST_TEST(told(progress_of(job), "has a standby on ") == 3u);
}

BOOST_AUTO_TEST_CASE(without_replicas_there_are_none) {
  TrainingJob job(1, {}, settings(2, 0), *this);
  run(job, 15s);
  BOOST_TEST(ready(job) == 0u);
  BOOST_TEST(!job.find("standby/0").has_value());
}

// Goal: the only node has the standby, too, and it is said; it moves when there is another one.
BOOST_AUTO_TEST_CASE(a_standby_leaves_its_shards_node_for_another_one) {
  TrainingJob job(1, {}, settings(1), *this);
  run(job, 5s);
  BOOST_TEST(ready(job) == 0u);
  run(job, 10s);
  BOOST_TEST(ready(job) == 1u);
  BOOST_TEST((node_of(job, "standby/0") == node_of(job, "shard/0")));
  BOOST_TEST(told(progress_of(job), "its own node, for want of another") == 1u);
  const auto beside = job.find("standby/0");
  const NodeId spare = job.cluster().add_node("spare", {"shard"});
  run(job, 2s);
  BOOST_TEST(ready(job) == 1u);
  BOOST_TEST((node_of(job, "standby/0") == spare));
  BOOST_TEST(!job.simulation().alive(*beside));
}

BOOST_AUTO_TEST_CASE(a_standby_that_dies_is_replaced) {
  TrainingJob job(1, {}, settings(2), *this);
  run(job, 1s);
  const auto first = job.find("standby/1").value();
  (void)job.simulation().kill_actor(first, {Errc::internal, "by the test"});
  run(job, 100ms);
  BOOST_TEST(ready(job) == 1u);
  run(job, 2s);
  BOOST_TEST(ready(job) == 2u);
  BOOST_TEST((job.find("standby/1").value() != first));
  progress_of(job).read([](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 0u);
    BOOST_TEST(read.getTakeovers() == 0u);
  });
}

// Goal: a node on which standbys die costs attempts that become rarer, and no training.
BOOST_AUTO_TEST_CASE(standbys_that_die_again_and_again_are_tried_less_and_less_often) {
  std::optional<NodeId> deadly;
  TrainingJob job(1, {}, settings(1), *this,
                  with_mortal_shards([&deadly](NodeId node) { return deadly == node; }));
  run(job, 1s);
  deadly = job.cluster().add_node("deadly", {"shard"});
  run(job, 60s);
  std::size_t tried = 0;
  for (const auto& actor : job.simulation().actors(*deadly))
    tried += actor.type == "parameter_shard";
  BOOST_TEST(tried > 2u);
  BOOST_TEST(tried < 12u);
  progress_of(job).read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::TRAINING));
    BOOST_TEST(read.getRollbacks() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(the_end_of_the_job_ends_its_standbys) {
  TrainingJob job(1, {}, settings(2), *this);
  run(job, 1s);
  BOOST_TEST(ready(job) == 2u);
  const auto first = job.find("standby/0").value(), second = job.find("standby/1").value();
  (void)job.simulation().call(actors::Coordinator{job.find("coordinator").value()},
                              Message<schema::EndJob>::make());
  run(job, 50ms);
  BOOST_TEST(!job.simulation().alive(first));
  BOOST_TEST(!job.simulation().alive(second));
}

// Goal: a rollback leaves no standby of the shards before it.
BOOST_AUTO_TEST_CASE(a_rollback_begins_with_new_standbys) {
  TrainingJob job(1, {}, settings(2), *this);
  run(job, 1s);
  for (const std::string name : {"standby/0", "shard/0"})
    (void)job.simulation().kill_actor(job.find(name).value(), {Errc::internal, "by the test"});
  run(job, 5s);
  BOOST_TEST(ready(job) == 2u);
  BOOST_TEST(progress_of(job).read([](auto read) { return read.getRollbacks(); }) == 1u);
  std::size_t living = 0;
  for (const NodeId node : job.nodes())
    for (const auto& actor : job.simulation().actors(node))
      living += actor.alive && actor.type == "parameter_shard";
  BOOST_TEST(living == 4u);
}

// Goal: what a takeover was is in the record, for those who draw it and those who check it.
BOOST_AUTO_TEST_CASE(the_record_says_whose_standby_took_over) {
  TrainingJob job(1, {}, settings(2), *this);
  run(job, 1s);
  (void)job.simulation().kill_actor(job.find("shard/1").value(), {Errc::internal, "by the test"});
  run(job, 200ms);
  std::string reason;
  std::uint64_t from = 0;
  for (bool more = true; more;) {
    const auto record =
        job.simulation()
            .call(actors::Coordinator{job.find("coordinator").value()},
                  Message<schema::GetRecord>::make([from](auto root) { root.setFrom(from); }))
            .value();
    record.read([&](schema::Record::Reader read) {
      for (const auto entry : read.getEntries())
        if (entry.isStarted()) reason = entry.getStarted().getReason().cStr();
      from = read.getNext();
      more = read.getMore();
    });
  }
  BOOST_TEST(reason.find("shard 1 died") == 0u, reason);
}

BOOST_AUTO_TEST_SUITE_END()

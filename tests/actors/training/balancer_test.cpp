#include "actors/training/balancer.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include "tests/actors/training/training_stage.hpp"

using namespace slime;
using namespace slime::tests;

namespace balancer_test {

using Shares = std::map<std::uint32_t, std::uint32_t>;

// A balancer of iterations of 16 blocks of 4 samples.
struct Balancing : TrainingStage {
  /// One sample costs a millisecond; after a minute of the run, worker 1 is three times as slow.
  Message<schema::BalancerSpec> spec(const std::string& policy, Duration started = {}) {
    return Message<schema::BalancerSpec>::make([&](schema::BalancerSpec::Builder root) {
      root.setStartedNs(started.count());
      fill_small_job(root.initJob(), *this);
      root.getJob().setBatch(64);
      root.getJob().getBalance().setPolicy(policy);
      auto emulate = root.getJob().getEmulate();
      emulate.setSampleUs(1000);
      auto change = emulate.initChanges(1)[0];
      change.setWorker(1);
      change.setAtSeconds(60);
      change.setSpeed(1.0 / 3);
      runtime::write_address(root.initCoordinator(), coordinator_address);
    });
  }

  // Tells the balancer what a sample costs each worker, in seconds.
  void tell_loads(const std::map<std::uint32_t, double>& sample_seconds) {
    tell(balancer, Message<schema::Loads>::make([&](schema::Loads::Builder root) {
           auto list = root.initWorkers(static_cast<unsigned>(sample_seconds.size()));
           unsigned at = 0;
           for (const auto& [worker, seconds] : sample_seconds) {
             list[at].setWorker(worker);
             list[at].setSecondsPerSample(seconds);
             list[at].setNoise(0.005);
             list[at++].setMeasurements(100);
           }
         }));
  }

  static Message<schema::RunTime> run_time(Duration elapsed, bool ticking) {
    return Message<schema::RunTime>::make([=](schema::RunTime::Builder root) {
      root.setElapsedNs(elapsed.count());
      root.setTicking(ticking);
    });
  }

  std::size_t decisions() const { return coordinator.shares_told.size(); }
  Shares newest() const {
    BOOST_REQUIRE(decisions() > 0);
    return coordinator.shares_told.back().read([](schema::Shares::Reader read) {
      Shares all;
      for (const auto share : read.getShares()) all[share.getWorker()] = share.getBlocks();
      return all;
    });
  }

  const ActorAddress balancer = spawn("balancer", spec("adapt_fr"));
};

}  // namespace balancer_test

BOOST_FIXTURE_TEST_SUITE(balancer_test, Balancing)

BOOST_AUTO_TEST_CASE(workers_share_alike_until_they_are_measured) {
  tell(balancer, enlist(0));
  BOOST_TEST((newest() == Shares{{0, 16}}));
  tell(balancer, enlist(1));
  BOOST_TEST((newest() == Shares{{0, 8}, {1, 8}}));
}

BOOST_AUTO_TEST_CASE(shares_follow_the_speeds) {
  tell(balancer, enlist(0));
  tell(balancer, enlist(1));
  tell_loads({{0, 0.01}, {1, 0.03}});
  BOOST_TEST((newest() == Shares{{0, 12}, {1, 4}}));
}

BOOST_AUTO_TEST_CASE(only_changes_are_told) {
  tell(balancer, enlist(0));
  tell(balancer, enlist(1));
  tell_loads({{0, 0.01}, {1, 0.03}});
  const std::size_t before = decisions();
  tell_loads({{0, 0.01}, {1, 0.03}});
  tell(balancer, enlist(1));
  BOOST_TEST(decisions() == before);
}

BOOST_AUTO_TEST_CASE(who_is_gone_leaves_its_blocks_to_the_others) {
  tell(balancer, enlist(0));
  tell(balancer, enlist(1));
  tell(balancer, forget(1));
  BOOST_TEST((newest() == Shares{{0, 16}}));
}

BOOST_AUTO_TEST_CASE(strangers_get_nothing) {
  tell_loads({{0, 0.01}});
  BOOST_TEST(decisions() == 0u);
  tell(balancer, enlist(0));
  tell_loads({{0, 0.01}, {7, 0.001}});
  tell(balancer, forget(7));
  BOOST_TEST((newest() == Shares{{0, 16}}));
  BOOST_TEST(decisions() == 1u);
}

// Goal: who takes the place of a dead balancer knows how far the run is.
BOOST_AUTO_TEST_CASE(every_balancer_takes_what_is_declared_for_that_time_of_the_run) {
  for (const auto& [started, expected] : {std::pair(Duration(0s), Shares{{0, 8}, {1, 8}}),
                                          std::pair(Duration(90s), Shares{{0, 12}, {1, 4}})}) {
    const ActorAddress oracle = spawn("balancer", spec("oracle", started));
    tell(oracle, enlist(0));
    tell(oracle, enlist(1));
    BOOST_TEST((newest() == expected));
  }
}

BOOST_AUTO_TEST_CASE(what_is_declared_changes_while_the_balancer_lives) {
  const ActorAddress oracle = spawn("balancer", spec("oracle"));
  tell(oracle, enlist(0));
  tell(oracle, enlist(1));
  BOOST_TEST((newest() == Shares{{0, 8}, {1, 8}}));
  run(60s);
  tell(oracle, Message<schema::Loads>::make());
  BOOST_TEST((newest() == Shares{{0, 12}, {1, 4}}));
}

// Goal: what is declared for a time of the run is not foreseen because an evaluation took long.
BOOST_AUTO_TEST_CASE(what_is_declared_waits_while_the_run_stands_still) {
  const ActorAddress oracle = spawn("balancer", spec("oracle"));
  tell(oracle, enlist(0));
  tell(oracle, enlist(1));
  tell(oracle, run_time(30s, false));
  run(120s);
  tell(oracle, Message<schema::Loads>::make());
  BOOST_TEST((newest() == Shares{{0, 8}, {1, 8}}));
  tell(oracle, run_time(30s, true));
  run(30s);
  tell(oracle, Message<schema::Loads>::make());
  BOOST_TEST((newest() == Shares{{0, 12}, {1, 4}}));
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_takes_back_what_was_declared) {
  const ActorAddress oracle = spawn("balancer", spec("oracle", 90s));
  tell(oracle, enlist(0));
  tell(oracle, enlist(1));
  BOOST_TEST((newest() == Shares{{0, 12}, {1, 4}}));
  tell(oracle, run_time(10s, true));
  tell(oracle, Message<schema::Loads>::make());
  BOOST_TEST((newest() == Shares{{0, 8}, {1, 8}}));
}

BOOST_AUTO_TEST_CASE(it_ends_with_its_coordinator) {
  BOOST_TEST(simulation.alive(balancer));
  end(coordinator_address);
  BOOST_TEST(!simulation.alive(balancer));
}

BOOST_AUTO_TEST_CASE(an_unknown_policy_is_a_failed_spawn_that_names_it) {
  const auto refused = simulation.spawn(node, "balancer", spec("by_luck").any());
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().context.find("by_luck") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

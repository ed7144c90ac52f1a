#include "actors/system/node_agent.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/actors/system/small_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(node_agent_test, SmallCluster)

BOOST_AUTO_TEST_CASE(an_actor_is_spawned_by_name_and_answers) {
  const auto address = spawn(add("worker-0"), "probe");
  BOOST_REQUIRE(address);
  BOOST_TEST(text_of(sim.call(ProbeRef{*address}, say("hello")).value()) == "hello");
}

BOOST_AUTO_TEST_CASE(a_failed_spawn_says_why) {
  const NodeId worker = add("worker-0");
  BOOST_TEST((spawn(worker, "philosopher").error().code == Errc::invalid_argument));
  const auto thrown = spawn(worker, "probe", "no memory");
  BOOST_TEST((thrown.error().code == Errc::internal));
  BOOST_TEST(thrown.error().context.find("no memory") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_repeated_spawn_with_one_key_makes_one_actor) {
  const NodeId worker = add("worker-0");
  const auto first = spawn(worker, "probe", "", 5);
  BOOST_TEST((spawn(worker, "probe", "", 5).value() == first.value()));
  BOOST_TEST((spawn(worker, "probe", "", 6).value() != first.value()));
  BOOST_TEST((spawn(worker, "probe").value() != spawn(worker, "probe").value()));
}

BOOST_AUTO_TEST_CASE(a_killed_actor_is_listed_as_dead_with_the_reason) {
  const NodeId worker = add("worker-0");
  const ActorAddress victim = spawn(worker, "probe").value();
  const auto kill = runtime::Message<schema::Kill>::make([&](schema::Kill::Builder root) {
    runtime::write_address(root.initAddress(), victim);
    root.setReason("enough");
  });
  BOOST_REQUIRE(sim.call(agent(worker), kill));
  BOOST_TEST((sim.call(agent(worker), kill).error().code == Errc::not_found));
  bool found = false;
  sim.call(agent(worker), runtime::Message<schema::ListActors>::make())
      .value()
      .read([&](schema::Actors::Reader root) {
        for (const auto actor : root.getActors()) {
          if (runtime::read_address(actor.getAddress()) != victim) continue;
          found = true;
          BOOST_TEST(!actor.getAlive());
          BOOST_TEST(std::string(actor.getReason()).find("enough") != std::string::npos);
        }
      });
  BOOST_TEST(found);
}

BOOST_AUTO_TEST_CASE(every_node_learns_of_every_other) {
  const NodeId first = add("worker-0");
  add("worker-1");
  run(1s);
  BOOST_TEST(node(first).known.contains("worker-1"));
  BOOST_TEST(node(first).known.contains("head"));
  BOOST_TEST(node(head).known.contains("worker-0"));
}

BOOST_AUTO_TEST_CASE(a_node_that_was_declared_dead_learns_it_once_when_it_hears_again) {
  const NodeId worker = add("worker-0");
  report(head, worker, true, "silent for 3 s");
  run(10s);
  BOOST_TEST(state("worker-0") == "dead: silent for 3 s");
  // The cluster no longer speaks to it; its own agent is told by whoever tells it, here the test.
  const auto members = sim.call(membership(), runtime::Message<schema::GetMembers>::make()).value();
  sim.tell(agent(worker).address, members.any());
  sim.tell(agent(worker).address, members.any());
  run(1s);
  BOOST_REQUIRE(node(worker).fenced.size() == 1u);
  BOOST_TEST((node(worker).fenced[0].code == Errc::stale));
  BOOST_TEST(node(worker).fenced[0].context.find("silent for 3 s") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(it_knows_the_state_store_of_the_heads_newest_process) {
  const NodeId worker = start("worker-0", {});
  const auto there = [&] {
    const auto found = sim.call(agent(worker), Message<schema::FindStateStore>::make()).value();
    return found.read([](auto root) { return runtime::read_address(root.getAddress()); }) ==
           ActorAddress{head, sim.incarnation(head), actors::state_store_number};
  };
  BOOST_TEST((sim.call(agent(worker), Message<schema::FindStateStore>::make()).error().code ==
              Errc::unavailable));
  BOOST_REQUIRE(join(worker, "worker-0", {}));
  run(1s);
  BOOST_TEST(there());
  const ActorAddress before = membership().address;
  restart_head();
  BOOST_REQUIRE(join(worker, "worker-0", {}));
  run(1s);
  BOOST_TEST((membership().address != before));
  BOOST_TEST(there());
}

BOOST_AUTO_TEST_SUITE_END()

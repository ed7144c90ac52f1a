#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/stage.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace faults_test {

// Detection takes 5 s; see LinkModel.
struct Scene : Stage {
  Puppet& server = puppet(right);
  Puppet& client = puppet(left);
  const PuppetRef to = server.self_ref();
  const PuppetRef back = client.self_ref();
  std::vector<Puppet::Reply> kept;

  Scene() { run_for(1ms); }

  void keep_replies() {
    server.when_asked = [this](std::uint64_t, Puppet::Reply reply) {
      kept.push_back(std::move(reply));
    };
  }
  void observe_once(DeliveryKind kind, Verdict verdict) {
    simulation.observe([kind, verdict, left_to_do = true](const Delivery& delivery) mutable {
      if (delivery.kind != kind || !left_to_do) return Verdict::deliver;
      left_to_do = false;
      return verdict;
    });
  }
  Error failure(std::size_t index) const { return client.answers.at(index).error(); }
  static bool mentions(const Error& error, const std::string& part) {
    return error.context.find(part) != std::string::npos;
  }
};

}  // namespace faults_test

BOOST_FIXTURE_TEST_SUITE(faults_test, Scene)

BOOST_AUTO_TEST_CASE(a_dying_actor_fails_its_requests_with_who_where_and_why) {
  keep_replies();
  server.when_told = [](std::uint64_t) { throw std::runtime_error("out of paint"); };
  client.inquire(to, 1, 60s);
  client.watch(to);
  run_for(10ms);
  (void)client.tell(to, note(1));
  run_for(10ms);
  BOOST_REQUIRE(client.answers.size() == 1u);
  BOOST_REQUIRE(client.deaths.size() == 1u);
  BOOST_TEST((failure(0).code == Errc::unavailable));
  BOOST_TEST((client.deaths[0].code == Errc::internal));
  for (const Error& error : {failure(0), client.deaths[0]})
    for (const std::string& part : {to_string(to.address), std::string("right"),
                                    std::string("out of paint"), std::string("puppet")})
      BOOST_TEST(mentions(error, part), part << " in " << error.context);
}

BOOST_AUTO_TEST_CASE(asks_and_watches_of_the_dead_end_at_once_with_the_reason) {
  (void)simulation.kill_actor(to.address, Error{Errc::stale, "fenced"});
  client.inquire(to, 1, 60s);
  client.watch(to);
  client.inquire(PuppetRef{ActorAddress{right, 1, 9}}, 1, 60s);
  client.inquire(PuppetRef{ActorAddress{NodeId{4, 4}, 1, 20}}, 1, 60s);
  client.watch(PuppetRef{ActorAddress{NodeId{4, 4}, 1, 20}});
  run_for(10ms);
  BOOST_REQUIRE(client.answers.size() == 3u);
  BOOST_REQUIRE(client.deaths.size() == 2u);
  for (const auto& answer : client.answers) BOOST_TEST((answer.error().code == Errc::unavailable));
  run_for(60s);
  BOOST_TEST(client.answers.size() == 3u);
  BOOST_TEST(client.deaths.size() == 2u);
}

BOOST_AUTO_TEST_CASE(each_watch_is_reported_exactly_once) {
  for (int i = 0; i < 3; ++i) client.watch(to);
  run_for(1s);
  BOOST_TEST(client.deaths.empty());
  (void)simulation.kill_actor(to.address, Error{Errc::unavailable, "enough"});
  simulation.kill_node(right);
  run_for(60s);
  BOOST_TEST(client.deaths.size() == 3u);
}

BOOST_AUTO_TEST_CASE(an_actor_stops_after_its_turn) {
  server.when_told = [&](std::uint64_t value) {
    server.stop();
    (void)server.tell(back, note(10 + value));
  };
  server.when_stopped = [&] { (void)server.tell(back, note(20)); };
  client.watch(to);
  for (std::uint64_t i = 0; i < 3; ++i) (void)client.tell(to, note(i));
  run_for(10ms);
  BOOST_TEST((client.notes == std::vector<std::uint64_t>{10, 20}));
  BOOST_REQUIRE(client.deaths.size() == 1u);
  BOOST_TEST(mentions(client.deaths[0], "normally"));
  BOOST_TEST(!simulation.alive(to.address));
  BOOST_TEST(!simulation.actors(right).at(0).end);
}

BOOST_AUTO_TEST_CASE(a_dead_node_is_noticed_after_the_detection_time) {
  keep_replies();
  client.inquire(to, 1, 60s);
  client.watch(to);
  run_for(10ms);
  std::vector<NodeId> observers;
  simulation.on_lost([&](NodeId observer, NodeId lost, const Error&) {
    BOOST_TEST((lost == right));
    observers.push_back(observer);
  });
  simulation.kill_node(right);
  client.inquire(to, 2, 60s);
  client.watch(to);
  run_for(4900ms);
  BOOST_TEST(client.answers.empty());
  BOOST_TEST(client.deaths.empty());
  run_for(200ms);
  BOOST_TEST(client.answers.size() == 2u);
  BOOST_TEST(client.deaths.size() == 2u);
  BOOST_TEST((failure(0).code == Errc::unavailable));
  BOOST_TEST(mentions(failure(0), "right"));
  BOOST_TEST((observers == std::vector<NodeId>{left}));
  client.inquire(to, 3, 60s);
  run_for(1ms);
  BOOST_TEST(client.answers.size() == 3u);
  run_for(60s);
  BOOST_TEST(client.answers.size() == 3u);
  BOOST_TEST(client.deaths.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_killed_node_takes_no_last_turns) {
  bool spoke = false;
  server.when_stopped = [&] { spoke = true; };
  server.after(1s, [&] { spoke = true; });
  simulation.kill_node(right);
  run_for(10s);
  BOOST_TEST(!spoke);
  BOOST_TEST(!simulation.alive(right));
  BOOST_TEST(!simulation.alive(to.address));
  BOOST_TEST(!simulation.behaviour(to.address));
}

BOOST_AUTO_TEST_CASE(a_restarted_node_is_another_one) {
  simulation.kill_node(right);
  const NodeId again = simulation.add_node("right");
  BOOST_TEST((again != right));
  BOOST_TEST(simulation.incarnation(again) == 2u);
  Puppet& other = puppet(again);
  client.inquire(other.self_ref(), 5, 1s);
  run_for(60s);
  BOOST_REQUIRE(client.answers.size() == 1u);
  BOOST_TEST(value_of(client.answers[0].value()) == 5u);
  const ActorAddress old{again, 1, other.self_ref().address.number};
  client.inquire(PuppetRef{old}, 5, 1s);
  run_for(1ms);
  BOOST_TEST((failure(1).code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(a_short_pause_only_delays) {
  std::vector<std::uint64_t> order;
  server.after(1s, [&] { order.push_back(100); });
  server.when_told = [&](std::uint64_t value) { order.push_back(value); };
  client.watch(to);
  simulation.pause_node(right);
  for (std::uint64_t i = 0; i < 10; ++i) (void)client.tell(to, note(i));
  run_for(4s);
  BOOST_TEST(order.empty());
  simulation.resume_node(right);
  run_for(1ms);
  BOOST_TEST((order == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100}));
  run_for(60s);
  BOOST_TEST(client.deaths.empty());
}

BOOST_AUTO_TEST_CASE(a_long_pause_fences_for_ever) {
  client.watch(to);
  server.watch(back);
  server.inquire(back, 1, 60s);
  simulation.pause_node(right);
  run_for(6s);
  BOOST_TEST(client.deaths.size() == 1u);
  BOOST_TEST(server.deaths.empty());
  simulation.resume_node(right);
  run_for(1ms);
  BOOST_TEST(simulation.alive(to.address));
  // It learns that it was given up by losing the others.
  BOOST_TEST(server.deaths.size() == 1u);
  BOOST_TEST(server.answers.size() == 1u);
  (void)server.tell(back, note(1));
  (void)client.tell(to, note(1));
  server.inquire(back, 2, 60s);
  run_for(60s);
  BOOST_TEST(client.notes.empty());
  BOOST_TEST(server.notes.empty());
  BOOST_TEST(server.answers.size() == 2u);
  BOOST_TEST(client.deaths.size() == 1u);
  // A node that joins later does not hear it either.
  Puppet& late = puppet(simulation.add_node("third"));
  (void)server.tell(late.self_ref(), note(1));
  run_for(1s);
  BOOST_TEST(late.notes.empty());
}

BOOST_AUTO_TEST_CASE(two_short_pauses_are_not_a_long_one) {
  client.watch(to);
  for (int i = 0; i < 3; ++i) {
    simulation.pause_node(right);
    run_for(3s);
    simulation.resume_node(right);
    run_for(1ms);
  }
  run_for(60s);
  BOOST_TEST(client.deaths.empty());
}

BOOST_AUTO_TEST_CASE(a_short_partition_only_delays) {
  client.watch(to);
  simulation.partition(left, right, true);
  for (std::uint64_t i = 0; i < 5; ++i) (void)client.tell(to, note(i));
  client.inquire(to, 9, 60s);
  run_for(4s);
  BOOST_TEST(server.notes.empty());
  simulation.partition(left, right, false);
  run_for(10ms);
  BOOST_TEST((server.notes == std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  BOOST_TEST(value_of(client.answers.at(0).value()) == 9u);
  run_for(60s);
  BOOST_TEST(client.deaths.empty());
}

BOOST_AUTO_TEST_CASE(a_long_partition_divides_two_nodes_for_ever_but_not_from_a_third) {
  Puppet& third = puppet(simulation.add_node("third"));
  client.watch(to);
  server.watch(back);
  third.watch(to);
  std::size_t lost = 0;
  simulation.on_lost([&](NodeId, NodeId, const Error&) { ++lost; });
  simulation.partition(left, right, true);
  (void)client.tell(to, note(1));
  client.inquire(to, 1, 60s);
  run_for(6s);
  BOOST_TEST(client.deaths.size() == 1u);
  BOOST_TEST(server.deaths.size() == 1u);
  BOOST_TEST(client.answers.size() == 1u);
  BOOST_TEST(lost == 2u);
  simulation.partition(left, right, false);
  (void)client.tell(to, note(2));
  (void)third.tell(to, note(3));
  run_for(10s);
  BOOST_TEST((server.notes == std::vector<std::uint64_t>{3}));
  BOOST_TEST(third.deaths.empty());
}

BOOST_AUTO_TEST_CASE(a_death_during_a_partition_is_told_when_it_ends) {
  client.watch(to);
  simulation.partition(left, right, true);
  (void)simulation.kill_actor(to.address, Error{Errc::unavailable, "enough"});
  run_for(4s);
  BOOST_TEST(client.deaths.empty());
  simulation.partition(left, right, false);
  run_for(10ms);
  BOOST_TEST(client.deaths.size() == 1u);
  run_for(60s);
  BOOST_TEST(client.deaths.size() == 1u);
}

// Goal: what cuts a process off has no bearing on the next one of its node.
BOOST_AUTO_TEST_CASE(a_partition_ends_with_the_process_that_it_cuts_off) {
  BOOST_TEST(simulation.connected(left, right));
  simulation.partition(left, right, true);
  BOOST_TEST(!simulation.connected(left, right));
  run_for(1s);
  simulation.kill_node(right);
  simulation.restart_node(right);
  run_for(10s);
  BOOST_TEST(simulation.connected(left, right));
}

BOOST_AUTO_TEST_CASE(a_third_party_may_sever_two_nodes) {
  client.watch(to);
  server.watch(back);
  for (int i = 0; i < 2; ++i)
    simulation.sever(left, right, Error{Errc::unavailable, "the head said so"});
  run_for(60s);
  BOOST_REQUIRE(client.deaths.size() == 1u);
  BOOST_TEST(server.deaths.size() == 1u);
  BOOST_TEST(mentions(client.deaths[0], "the head said so"));
}

BOOST_AUTO_TEST_CASE(a_dropped_message_is_lost_and_a_dropped_answer_ends_by_its_deadline) {
  observe_once(DeliveryKind::tell, Verdict::drop);
  observe_once(DeliveryKind::ask, Verdict::drop);
  observe_once(DeliveryKind::answer, Verdict::drop);
  for (std::uint64_t i = 0; i < 3; ++i) (void)client.tell(to, note(i));
  for (std::uint64_t i = 0; i < 3; ++i) client.inquire(to, i, 1s);
  run_for(900ms);
  BOOST_TEST((server.notes == std::vector<std::uint64_t>{1, 2}));
  BOOST_TEST(client.answers.size() == 1u);
  run_for(1s);
  BOOST_REQUIRE(client.answers.size() == 3u);
  BOOST_TEST((failure(1).code == Errc::timeout));
  BOOST_TEST((failure(2).code == Errc::timeout));
}

BOOST_AUTO_TEST_CASE(downs_timers_and_timeouts_cannot_be_dropped) {
  simulation.observe([](const Delivery& delivery) {
    return delivery.kind == DeliveryKind::tell ? Verdict::deliver : Verdict::drop;
  });
  bool fired = false;
  client.after(1s, [&] { fired = true; });
  client.inquire(to, 1, 1s);
  client.watch(to);
  run_for(2s);
  (void)simulation.kill_actor(to.address, Error{Errc::unavailable, "enough"});
  run_for(1s);
  BOOST_TEST(fired);
  BOOST_TEST(client.answers.size() == 1u);
  BOOST_TEST(client.deaths.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_observer_may_kill_the_receiver_before_its_turn) {
  observe_once(DeliveryKind::ask, Verdict::kill_receiver_before);
  bool asked = false;
  server.when_asked = [&](std::uint64_t, Puppet::Reply) { asked = true; };
  client.inquire(to, 1, 60s);
  run_for(10ms);
  BOOST_TEST(!asked);
  BOOST_TEST((failure(0).code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(an_observer_may_kill_the_receiver_after_its_turn) {
  observe_once(DeliveryKind::ask, Verdict::kill_receiver_after);
  client.inquire(to, 1, 60s);
  client.watch(to);
  run_for(10ms);
  BOOST_TEST(value_of(client.answers.at(0).value()) == 1u);
  BOOST_TEST(client.deaths.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_observer_may_kill_the_sender) {
  observe_once(DeliveryKind::ask, Verdict::kill_sender);
  bool asked = false;
  server.when_asked = [&](std::uint64_t, Puppet::Reply) { asked = true; };
  server.watch(back);
  client.inquire(to, 1, 60s);
  run_for(10ms);
  BOOST_TEST(asked);
  BOOST_TEST(!simulation.alive(back.address));
  BOOST_TEST(server.deaths.size() == 1u);
  run_for(60s);
  BOOST_TEST(simulation.pending() == 0u);
}

BOOST_AUTO_TEST_CASE(an_observer_may_kill_a_whole_node) {
  simulation.observe([this](const Delivery& delivery) {
    if (delivery.kind == DeliveryKind::ask) simulation.kill_node(right);
    return Verdict::deliver;
  });
  client.inquire(to, 1, 60s);
  run_for(4s);
  BOOST_TEST(client.answers.empty());
  run_for(2s);
  BOOST_TEST((failure(0).code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(a_node_may_be_killed_from_a_turn_on_it) {
  server.when_told = [&](std::uint64_t) {
    simulation.kill_node(right);
    (void)server.tell(back, note(1));
  };
  (void)client.tell(to, note(1));
  run_for(60s);
  BOOST_TEST(client.notes.empty());
  BOOST_TEST(!simulation.behaviour(to.address));
}

BOOST_AUTO_TEST_CASE(an_actor_may_be_killed_from_its_own_turn) {
  server.when_asked = [&](std::uint64_t value, Puppet::Reply reply) {
    BOOST_TEST(bool(simulation.kill_actor(to.address, Error{Errc::unavailable, "enough"})));
    reply.send(note(value));
  };
  client.inquire(to, 4, 60s);
  run_for(10ms);
  BOOST_TEST(value_of(client.answers.at(0).value()) == 4u);
  BOOST_TEST(!simulation.alive(to.address));
  BOOST_TEST((simulation.kill_actor(to.address, Error{Errc::unavailable, "enough"}).error().code ==
              Errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

#include "runtime/simulation/simulation.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/stage.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace simulation_test {

constexpr LinkModel jittery{.delay_min = 1us, .delay_max = 10ms};

bool in_order(const std::vector<std::uint64_t>& values, std::size_t count) {
  if (values.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (values[i] != i) return false;
  return true;
}

// Some traffic with losses, timers and a death, for comparing runs.
std::uint64_t hash_of_a_run(std::uint64_t seed) {
  Stage stage(seed, LinkModel{.loss = 0.1});
  Puppet& server = stage.puppet(stage.right);
  const PuppetRef to = server.self_ref();
  for (int i = 0; i < 5; ++i)
    stage.puppet(stage.left, 0, [&](Puppet& client) {
      client.when_started = [&client, to] {
        client.watch(to);
        for (std::uint64_t k = 0; k < 20; ++k) client.inquire(to, k, 10ms);
      };
    });
  stage.run_for(1ms);
  (void)stage.simulation.kill_actor(to.address, Error{Errc::unavailable, "enough"});
  stage.run_for(1s);
  return stage.simulation.trace_hash();
}

}  // namespace simulation_test

BOOST_FIXTURE_TEST_SUITE(simulation_test, Stage)

BOOST_AUTO_TEST_CASE(one_seed_gives_one_run_and_another_seed_another) {
  BOOST_TEST(hash_of_a_run(1) == hash_of_a_run(1));
  BOOST_TEST(hash_of_a_run(1) != hash_of_a_run(2));
}

BOOST_DATA_TEST_CASE(tells_between_two_actors_keep_their_order,
                     boost::unit_test::data::xrange(10) * boost::unit_test::data::make({0, 1}),
                     seed, local) {
  Stage stage(static_cast<std::uint64_t>(seed), jittery);
  Puppet& from = stage.puppet(stage.left);
  Puppet& to = stage.puppet(local ? stage.left : stage.right);
  for (std::uint64_t i = 0; i < 100; ++i) {
    (void)from.tell(to.self_ref(), note(i));
    if (i % 10 == 0) stage.run_for(1ms);
  }
  stage.run_for(1s);
  BOOST_TEST(in_order(to.notes, 100));
}

BOOST_AUTO_TEST_CASE(other_seeds_give_other_orders_of_two_senders) {
  const auto order = [](std::uint64_t seed) {
    Stage stage(seed, jittery);
    Puppet& to = stage.puppet(stage.left);
    Puppet& near = stage.puppet(stage.left);
    Puppet& far = stage.puppet(stage.right);
    for (std::uint64_t i = 0; i < 5; ++i) {
      (void)near.tell(to.self_ref(), note(i));
      (void)far.tell(to.self_ref(), note(100 + i));
      stage.run_for(5ms);
    }
    stage.run_for(1s);
    return to.notes;
  };
  std::set<std::vector<std::uint64_t>> orders;
  for (std::uint64_t seed = 0; seed < 10; ++seed) orders.insert(order(seed));
  BOOST_TEST(orders.size() > 3u);
}

BOOST_AUTO_TEST_CASE(a_message_is_never_delivered_within_its_senders_turn) {
  Puppet& listener = puppet(left);
  Puppet& teller = puppet(left);
  teller.when_told = [&](std::uint64_t) {
    (void)teller.tell(listener.self_ref(), note(1));
    (void)teller.tell(teller.self_ref(), note(2));
    BOOST_TEST(listener.notes.empty());
    BOOST_TEST(teller.notes.size() == 1u);
    teller.when_told = nullptr;
  };
  simulation.tell(teller.self_ref().address, note(0).any());
  run_for(1ms);
  BOOST_TEST(listener.notes.size() == 1u);
  BOOST_TEST(teller.notes.size() == 2u);
}

BOOST_AUTO_TEST_CASE(an_actor_starts_before_its_first_message) {
  const ActorAddress early{left, 1, 5};
  simulation.tell(early, note(1).any());
  std::vector<int> order;
  puppet(left, 5, [&](Puppet& fresh) {
    fresh.when_started = [&] { order.push_back(0); };
    fresh.when_told = [&](std::uint64_t) { order.push_back(1); };
  });
  run_for(1ms);
  BOOST_TEST((order == std::vector<int>{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_failed_constructor_fails_the_spawn_and_leaves_the_number_free) {
  const ActorType broken{"broken", Turns::computing,
                         [](Host&, const AnyMessage&) -> std::unique_ptr<Behaviour> {
                           throw std::runtime_error("no canvas");
                         }};
  const auto spawned = simulation.spawn(left, broken, {}, 4);
  BOOST_REQUIRE(!spawned);
  BOOST_TEST(spawned.error().context.find("no canvas") != std::string::npos);
  BOOST_TEST(bool(simulation.spawn(left, puppet_type(), {}, 4)));
  BOOST_TEST((simulation.spawn(left, puppet_type(), {}, 4).error().code == Errc::already_exists));
  BOOST_TEST(
      (simulation.spawn(left, puppet_type(), {}, 16).error().code == Errc::invalid_argument));
  BOOST_TEST((simulation.spawn(left, "nobody", {}).error().code == Errc::invalid_argument));
  BOOST_TEST((simulation.spawn(NodeId{1, 1}, puppet_type(), {}).error().code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(the_outside_gets_its_answer) {
  const Puppet& server = puppet(right);
  const auto answer = simulation.call(PuppetRef{server.self_ref()}, question(7));
  BOOST_TEST(value_of(answer.value()) == 7u);
}

BOOST_AUTO_TEST_CASE(an_ask_without_answer_ends_at_its_deadline) {
  Puppet& server = puppet(right);
  std::vector<Puppet::Reply> kept;
  server.when_asked = [&](std::uint64_t, Puppet::Reply reply) { kept.push_back(std::move(reply)); };
  Puppet& client = puppet(left);
  client.inquire(server.self_ref(), 1, 2s);
  simulation.run_until(simulation_start + 2s - 1ns);
  BOOST_TEST(client.answers.empty());
  simulation.run_until(simulation_start + 2s);
  BOOST_REQUIRE(client.answers.size() == 1u);
  BOOST_TEST((client.answers[0].error().code == Errc::timeout));
  kept.at(0).send(note(1));
  run_for(10s);
  BOOST_TEST(client.answers.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_ask_whose_answer_is_too_late_is_answered_once) {
  Stage stage(1, LinkModel{.delay_min = 1s, .delay_max = 1s});
  Puppet& server = stage.puppet(stage.right);
  Puppet& client = stage.puppet(stage.left);
  client.inquire(server.self_ref(), 1, 1500ms);
  client.inquire(server.self_ref(), 2, 500ms);
  client.inquire(server.self_ref(), 3, 2500ms);
  int asked = 0;
  server.when_asked = [&](std::uint64_t value, Puppet::Reply reply) {
    ++asked;
    reply.send(note(value));
  };
  stage.run_for(10s);
  BOOST_TEST(asked == 3);
  BOOST_REQUIRE(client.answers.size() == 3u);
  BOOST_TEST((client.answers[0].error().code == Errc::timeout));
  BOOST_TEST((client.answers[1].error().code == Errc::timeout));
  BOOST_TEST(value_of(client.answers[2].value()) == 3u);
}

// Goal: as in a node, a transfer that takes longer than a try ends the repetition.
BOOST_AUTO_TEST_CASE(a_repeated_ask_ends_with_an_answer_that_came_after_its_deadline) {
  Stage stage(1, LinkModel{.delay_min = 1s, .delay_max = 1s});
  Puppet& server = stage.puppet(stage.right);
  Puppet& client = stage.puppet(stage.left);
  std::vector<Instant> heard;
  client.ask_until_answered(server.self_ref(), question(1), 500ms, [&](const Result<Note>& answer) {
    BOOST_TEST(bool(answer));
    heard.push_back(client.now());
  });
  stage.run_for(10s);
  BOOST_REQUIRE(heard.size() == 1u);
  BOOST_TEST((heard[0] == simulation_start + 2s));
}

BOOST_AUTO_TEST_CASE(a_timer_fires_after_its_delay_and_not_after_its_actors_death) {
  Puppet& puppet = this->puppet(left);
  std::vector<Instant> fired;
  puppet.after(3s, [&] { fired.push_back(simulation.now()); });
  puppet.after(5s, [&] { fired.push_back(simulation.now()); });
  run_for(4s);
  (void)simulation.kill_actor(puppet.self_ref().address, Error{Errc::unavailable, "enough"});
  run_for(10s);
  BOOST_REQUIRE(fired.size() == 1u);
  BOOST_TEST((fired[0] == simulation_start + 3s));
}

BOOST_AUTO_TEST_CASE(time_runs_to_where_it_is_told_and_a_condition_stops_it) {
  Puppet& puppet = this->puppet(left);
  bool fired = false;
  puppet.after(3s, [&] { fired = true; });
  BOOST_TEST(!simulation.run_until([&] { return fired; }, 2s));
  BOOST_TEST(simulation.run_until([&] { return fired; }, 2s));
  BOOST_TEST((simulation.now() == simulation_start + 3s));
  BOOST_TEST(!simulation.run_until([] { return false; }, 2s));
  simulation.run_until(simulation_start + 1min);
  BOOST_TEST((simulation.now() == simulation_start + 1min));
  BOOST_TEST(!simulation.step());
}

BOOST_AUTO_TEST_CASE(standstill_is_visible) {
  Puppet& puppet = this->puppet(left);
  std::function<void()> tick = [&] { puppet.after(1s, tick); };
  tick();
  simulation.watch_progress([&] { return static_cast<std::uint64_t>(puppet.notes.size()); });
  run_for(10s);
  simulation.tell(puppet.self_ref().address, note(1).any());
  BOOST_TEST(simulation.pending_messages() == 1u);
  run_for(90s);
  BOOST_TEST(simulation.pending_messages() == 0u);
  BOOST_TEST(simulation.pending() == 1u);
  BOOST_TEST((simulation.last_progress() - simulation_start < 11s));
  BOOST_TEST((simulation.now() - simulation.last_progress() > 80s));
}

BOOST_AUTO_TEST_CASE(observers_see_every_kind_of_delivery_before_it_happens) {
  std::vector<DeliveryKind> seen;
  std::uint64_t note_value = 0;
  simulation.observe([&](const Delivery& delivery) {
    seen.push_back(delivery.kind);
    if (delivery.kind == DeliveryKind::tell)
      note_value = value_of(Note::from(delivery.message).value());
    return Verdict::deliver;
  });
  Puppet& server = puppet(right);
  Puppet& client = puppet(left);
  run_for(1ms);
  client.after(1us, [] {});
  run_for(1ms);
  (void)client.tell(server.self_ref(), note(5));
  run_for(1ms);
  client.watch(server.self_ref());
  client.inquire(server.self_ref(), 1, 1s);
  run_for(2ms);
  server.stop();
  (void)simulation.kill_actor(server.self_ref().address, Error{Errc::unavailable, "enough"});
  run_for(1ms);
  using enum DeliveryKind;
  const std::vector expected{start, start, timer, tell, ask, answer, down};
  BOOST_TEST((seen == expected));
  BOOST_TEST(note_value == 5u);
  BOOST_TEST(simulation.deliveries() == 7u + 1u);
}

BOOST_AUTO_TEST_SUITE_END()

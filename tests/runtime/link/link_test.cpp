#include "runtime/link/link.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>
#include <filesystem>
#include <thread>

#include "tests/runtime/link/test_node.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(link_test)

caf::behavior quitter(caf::event_based_actor* self) {
  return {[self](const AnyMessage& message) -> caf::result<void> {
    self->quit(message.words.data()[0] == 0 ? caf::error()
                                            : to_caf({Errc::corruption, "it was told to"}));
    return caf::unit;
  }};
}

Result<AnyMessage> ask(TestNode& from, const caf::actor& target, AnyMessage message,
                       caf::duration timeout = caf::duration(20s)) {
  caf::scoped_actor self(from.system);
  Result<AnyMessage> answer = Error{Errc::internal, "no answer"};
  self->request(target, timeout, std::move(message))
      .receive([&](const AnyMessage& got) { answer = got; },
               [&](caf::error& error) { answer = from_caf(error); });
  return answer;
}

template <class T>
std::string why(const Result<T>& result) {
  return result ? std::string() : to_string(result.error());
}

struct Pair {
  TestNode a{"a", 1};
  TestNode b{"b", 2};

  Pair() {
    a.knows(b);
    b.knows(a);
  }
};

BOOST_FIXTURE_TEST_CASE(a_request_is_answered_both_ways, Pair) {
  const ActorAddress there = b.spawn(doubler);
  const ActorAddress here = a.spawn(doubler);
  const auto answer = ask(a, a.handle(there), test_message(21));
  BOOST_REQUIRE_MESSAGE(bool(answer), why(answer));
  BOOST_TEST(answer->words.data()[0] == 42u);
  BOOST_TEST(answer->type == 42u);
  const auto back = ask(b, b.handle(here), test_message(4));
  BOOST_REQUIRE(bool(back));
  BOOST_TEST(back->words.data()[0] == 8u);
  BOOST_TEST(a.link->stats().size() == 1u);
  BOOST_TEST(a.link->stats()[0].connections == 1u);
}

// Goal: what a link tells of all its peers adds up, and does not fall when one of them goes.
BOOST_AUTO_TEST_CASE(the_totals_of_a_link_agree_on_both_sides_and_outlive_its_peers) {
  TestNode a("a", 1);
  auto b = std::make_unique<TestNode>("b", 2);
  a.knows(*b);
  BOOST_REQUIRE(bool(ask(a, a.handle(b->spawn(doubler)), test_message(1, 200'000))));
  LinkStats here = a.link->totals();
  BOOST_TEST(here.peers_connected == 1u);
  BOOST_TEST(here.requests_pending == 0u);
  BOOST_TEST(here.traffic.messages_out == 1u);
  BOOST_TEST(here.traffic.messages_in == 1u);
  BOOST_TEST(b->link->totals().traffic.messages_in == 1u);
  // An opening frame and two chunks each way.
  BOOST_TEST(here.traffic.frames_out >= 3u);
  BOOST_TEST(here.traffic.frames_in >= 3u);
  BOOST_TEST(here.traffic.bytes_out > 1'600'000u);
  BOOST_TEST(here.traffic.bytes_in > 1'600'000u);
  BOOST_TEST(here.traffic.reconnections == 0u);

  b.reset();
  BOOST_TEST(a.events.wait_for("down b: it left"));
  // Leaving in order is no death and nothing to warn of.
  const auto logged = a.log->lines();
  BOOST_TEST(std::ranges::any_of(
      logged, [](const std::string& line) { return line.find(" left: ") != line.npos; }));
  for (const std::string& line : logged) BOOST_TEST(!line.ends_with("(warning)"), line);
  LinkStats after = a.link->totals();
  BOOST_TEST(after.peers_connected == 0u);
  BOOST_TEST(after.peers_left == 1u);
  BOOST_TEST(after.peers_dead == 0u);
  BOOST_TEST(after.traffic.messages_out == 1u);
  BOOST_TEST(after.traffic.bytes_in >= here.traffic.bytes_in);
  a.link->condemn({7, 7}, 1, {Errc::stale, "so it was said", wall_clock_us()});
  TestNode c("c", 3);
  a.knows(c);
  BOOST_REQUIRE(bool(ask(a, a.handle(c.spawn(doubler)), test_message(1))));
  a.link->condemn(c.self.node, 1, {Errc::stale, "so it was said", wall_clock_us()});
  BOOST_TEST(a.events.wait_for("down c"));
  after = a.link->totals();
  BOOST_TEST(after.peers_dead == 1u);
  BOOST_TEST(after.traffic.messages_out == 2u);
}

BOOST_FIXTURE_TEST_CASE(messages_of_every_size_arrive_as_they_were, Pair) {
  const caf::actor target = a.handle(b.spawn(doubler));
  for (const std::size_t words :
       {1u, 100u, 1024u, 1025u, 70'000u, 131'072u, 131'073u, 3'000'000u}) {
    const auto answer = ask(a, target, test_message(words, words));
    BOOST_REQUIRE_MESSAGE(bool(answer), why(answer));
    BOOST_REQUIRE(answer->words.count() == words);
    for (std::size_t i = 1; i < words; ++i)
      if (answer->words.data()[i] != words * 2 + i) BOOST_FAIL("word " << i << " of " << words);
  }
}

BOOST_FIXTURE_TEST_CASE(an_actor_that_is_not_there_is_an_error_that_names_it, Pair) {
  const ActorAddress nobody{b.self.node, b.self.incarnation, 4711};
  const auto answer = ask(a, a.handle(nobody), test_message(1));
  BOOST_REQUIRE(!answer);
  BOOST_TEST((answer.error().code == Errc::not_found));
  BOOST_TEST(answer.error().context.find("#4711") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(errors_and_void_replies_cross, Pair) {
  const ActorAddress failing = b.spawn([](caf::event_based_actor*) -> caf::behavior {
    return {[](const AnyMessage& message) -> caf::result<void> {
      if (message.words.data()[0] == 0) return caf::unit;
      return to_caf({Errc::stale, "an old term"});
    }};
  });
  caf::scoped_actor self(a.system);
  bool done = false;
  self->request(a.handle(failing), 20s, test_message(0))
      .receive([&] { done = true; }, [&](caf::error& e) { BOOST_ERROR(from_caf(e).context); });
  BOOST_TEST(done);
  const auto answer = ask(a, a.handle(failing), test_message(1));
  BOOST_REQUIRE(!answer);
  BOOST_TEST((answer.error().code == Errc::stale));
  BOOST_TEST(answer.error().context == "an old term");
}

BOOST_FIXTURE_TEST_CASE(a_monitor_is_told_why_the_actor_ended, Pair) {
  const caf::actor target = a.handle(b.spawn(quitter));
  caf::scoped_actor self(a.system);
  self->monitor(target);
  self->send(target, test_message(1));
  self->receive([&](caf::down_msg& down) {
    BOOST_TEST((from_caf(down.reason).code == Errc::corruption));
    BOOST_TEST(from_caf(down.reason).context == "it was told to");
    BOOST_TEST((down.source == caf::actor_cast<caf::actor_addr>(target)));
  });
}

BOOST_FIXTURE_TEST_CASE(watching_what_is_gone_answers_down_at_once, Pair) {
  caf::scoped_actor self(a.system);
  self->monitor(a.handle({b.self.node, b.self.incarnation, 4711}));
  self->receive(
      [&](caf::down_msg& down) { BOOST_TEST((from_caf(down.reason).code == Errc::not_found)); });
}

BOOST_FIXTURE_TEST_CASE(a_link_takes_both_ends_down, Pair) {
  const ActorAddress there = b.spawn(doubler);
  const caf::actor remote = a.handle(there);
  caf::scoped_actor watcher(b.system);
  watcher->monitor(caf::actor_cast<caf::actor>(b.table.find(there.number)));
  auto linked = a.system.spawn([remote](caf::event_based_actor* self) -> caf::behavior {
    self->link_to(remote);
    return {[self](const AnyMessage&) { self->quit(caf::exit_reason::user_shutdown); }};
  });
  caf::anon_send(linked, test_message(1));
  watcher->receive(
      [&](caf::down_msg& down) { BOOST_TEST((down.reason == caf::exit_reason::user_shutdown)); });
}

BOOST_FIXTURE_TEST_CASE(an_exit_signal_ends_a_remote_actor, Pair) {
  const caf::actor target = a.handle(b.spawn(doubler));
  caf::scoped_actor self(a.system);
  self->monitor(target);
  self->send_exit(target, caf::exit_reason::kill);
  self->receive([&](caf::down_msg& down) { BOOST_TEST((down.reason == caf::exit_reason::kill)); });
}

BOOST_FIXTURE_TEST_CASE(other_messages_are_refused_with_an_error, Pair) {
  caf::scoped_actor self(a.system);
  self->request(a.handle(b.spawn(doubler)), 20s, std::string("hello"))
      .receive([](const AnyMessage&) { BOOST_ERROR("answered"); },
               [](caf::error& e) { BOOST_TEST((from_caf(e).code == Errc::invalid_argument)); });
}

BOOST_FIXTURE_TEST_CASE(a_message_above_the_limit_is_refused_here, Pair) {
  auto settings = TestNode::defaults("c", 3);
  settings.message_bytes_max = 1 << 20;
  TestNode c(settings);
  c.knows(b);
  const caf::actor target = c.handle(b.spawn(doubler));
  const auto answer = ask(c, target, test_message(1, (1 << 20) / 8 + 1));
  BOOST_REQUIRE(!answer);
  BOOST_TEST((answer.error().code == Errc::invalid_argument));
}

BOOST_FIXTURE_TEST_CASE(a_delegated_request_is_answered_through_its_delegate, Pair) {
  TestNode c("c", 3);
  b.knows(c);
  const caf::actor last = b.handle(c.spawn(doubler));
  const ActorAddress middle = b.spawn([last](caf::event_based_actor* self) -> caf::behavior {
    return {[self, last](const AnyMessage& message) { return self->delegate(last, message); }};
  });
  const auto answer = ask(a, a.handle(middle), test_message(7));
  BOOST_REQUIRE_MESSAGE(bool(answer), why(answer));
  BOOST_TEST(answer->words.data()[0] == 14u);
}

BOOST_FIXTURE_TEST_CASE(pending_requests_fail_and_monitors_fire_when_the_peer_stops, Pair) {
  const caf::actor target = a.handle(b.spawn(silent));
  caf::scoped_actor self(a.system);
  self->monitor(target);
  auto pending = self->request(target, caf::infinite, test_message(1));
  BOOST_REQUIRE(a.events.wait_for("up b"));
  std::this_thread::sleep_for(50ms);
  b.link->stop();
  pending.receive([](const AnyMessage&) { BOOST_ERROR("answered"); },
                  [&](caf::error& e) {
                    const Error error = from_caf(e);
                    BOOST_TEST((error.code == Errc::unavailable));
                    BOOST_TEST(error.context.find(to_string(b.self.node)) != std::string::npos);
                  });
  self->receive(
      [&](caf::down_msg& down) { BOOST_TEST((from_caf(down.reason).code == Errc::unavailable)); });
  BOOST_TEST(a.events.wait_for("down b: it left"));
  // And whatever is asked afterwards fails at once.
  const auto late = ask(a, target, test_message(1));
  BOOST_REQUIRE(!late);
  BOOST_TEST((late.error().code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(two_nodes_that_dial_each_other_end_with_one_connection) {
  for (int round = 0; round < 10; ++round) {
    TestNode a("a", 1);
    TestNode b("b", 2);
    std::thread other([&] { BOOST_TEST(bool(b.link->connect(a.endpoint(), 10s))); });
    BOOST_TEST(bool(a.link->connect(b.endpoint(), 10s)));
    other.join();
    a.knows(b);
    b.knows(a);
    const ActorAddress there = b.spawn(doubler);
    // The connection that is given up may still take a request with it, which is then an error.
    bool answered = false;
    for (int attempt = 0; attempt < 50 && !answered; ++attempt) {
      answered = bool(ask(a, a.handle(there), test_message(1)));
      if (!answered) std::this_thread::sleep_for(100ms);
    }
    BOOST_TEST(answered);
    BOOST_TEST(a.link->stats().size() == 1u);
    BOOST_TEST(b.link->stats().size() == 1u);
  }
}

BOOST_AUTO_TEST_CASE(wrong_tokens_and_clusters_are_named_on_both_sides) {
  TestNode a("a", 1);
  auto settings = TestNode::defaults("b", 2);
  settings.token = "another";
  TestNode b(settings);
  const auto refused = b.link->connect(a.endpoint(), 10s);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::refused));
  BOOST_TEST(refused.error().context.find("another token") != std::string::npos);
  BOOST_TEST(a.log->wait_for("connection from"));
  for (const auto& line : a.log->lines()) {
    BOOST_TEST(line.find("secret") == std::string::npos);
    BOOST_TEST(line.find("'another'") == std::string::npos);
  }
  auto elsewhere = TestNode::defaults("c", 3);
  elsewhere.cluster_id = "other";
  TestNode c(elsewhere);
  const auto wrong = c.link->connect(a.endpoint(), 10s);
  BOOST_REQUIRE(!wrong);
  BOOST_TEST((wrong.error().code == Errc::refused));
  BOOST_TEST(wrong.error().context.find("'other'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_condemned_incarnation_is_refused_and_a_newer_one_is_not) {
  TestNode a("a", 1);
  {
    TestNode b("b", 2);
    BOOST_REQUIRE(bool(b.link->connect(a.endpoint(), 10s)));
    const caf::actor target = a.handle(b.spawn(silent));
    caf::scoped_actor self(a.system);
    auto pending = self->request(target, caf::infinite, test_message(1));
    a.link->condemn(b.self.node, 1, {Errc::stale, "the head said so", wall_clock_us()});
    pending.receive([](const AnyMessage&) { BOOST_ERROR("answered"); },
                    [](caf::error& e) {
                      BOOST_TEST(from_caf(e).context.find("the head said so") != std::string::npos);
                    });
    const auto refused = b.link->connect(a.endpoint(), 10s);
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == Errc::stale));
  }
  auto again = TestNode::defaults("b", 2);
  again.self.incarnation = 2;
  TestNode b(again);
  BOOST_TEST(bool(b.link->connect(a.endpoint(), 10s)));
  BOOST_TEST(bool(ask(a, a.handle(b.spawn(doubler)), test_message(1))));
}

BOOST_AUTO_TEST_CASE(a_newer_incarnation_replaces_the_old_one) {
  TestNode a("a", 1);
  TestNode old("b", 2);
  BOOST_REQUIRE(bool(old.link->connect(a.endpoint(), 10s)));
  BOOST_REQUIRE(a.events.wait_for("up b"));
  auto settings = TestNode::defaults("b", 2);
  settings.self.incarnation = 2;
  TestNode b(settings);
  BOOST_REQUIRE(bool(b.link->connect(a.endpoint(), 10s)));
  BOOST_TEST(a.events.wait_for("down b: it was replaced"));
  BOOST_TEST(a.events.wait_for("up b", 2));
  const auto refused = old.link->connect(a.endpoint(), 10s);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::stale));
}

BOOST_FIXTURE_TEST_CASE(a_reason_of_any_length_costs_its_end_and_not_the_connection, Pair) {
  const ActorAddress wordy = b.spawn([](caf::event_based_actor* self) -> caf::behavior {
    return {[self](const AnyMessage&) {
      self->quit(to_caf({Errc::corruption, "it said " + std::string(200'000, 'a')}));
    }};
  });
  caf::scoped_actor self(a.system);
  self->monitor(a.handle(wordy));
  self->send(a.handle(wordy), test_message(1));
  std::string told;
  self->receive([&](const caf::down_msg& down) { told = from_caf(down.reason).context; },
                caf::after(10s) >> [] {});
  BOOST_TEST(told.starts_with("it said aaaa"));
  BOOST_TEST(bool(ask(a, a.handle(b.spawn(doubler)), test_message(1))));
  BOOST_TEST(a.link->stats()[0].connections == 1u);
}

BOOST_AUTO_TEST_CASE(a_refusal_for_a_long_reason_is_understood) {
  TestNode a("a", 1);
  TestNode b("b", 2);
  a.link->condemn(b.self.node, 1, {Errc::stale, std::string(100'000, 'a'), wall_clock_us()});
  const auto refused = b.link->connect(a.endpoint(), 10s);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::stale));
  BOOST_TEST(refused.error().context.find("counts as dead: aaaa") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(nobody_there_is_an_error_and_not_a_wait) {
  TestNode a("a", 1);
  Endpoint gone;
  {
    TestNode b("b", 2);
    gone = b.endpoint();
  }
  const auto refused = a.link->connect(gone, 10s);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::not_found));
  BOOST_TEST(refused.error().context.find(gone.text) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(calls_to_a_node_that_nobody_knows_fail_in_the_end) {
  auto settings = TestNode::defaults("a", 1);
  settings.heartbeat = 20ms;
  settings.suspect_after = 60ms;
  settings.dead_after = 200ms;
  TestNode a(settings);
  const auto answer = ask(a, a.handle({NodeId{9, 9}, 1, 1}), test_message(1));
  BOOST_REQUIRE(!answer);
  BOOST_TEST((answer.error().code == Errc::unavailable));
}

// Method: nobody says how to reach the peer, so that everything waits for it until it is dead.
BOOST_AUTO_TEST_CASE(what_waits_for_a_peer_when_it_dies_counts_as_dropped) {
  TestNode a("a", 1);
  const caf::actor target = a.handle({NodeId{9, 9}, 1, 1});
  for (const std::uint64_t value : {1u, 2u, 3u}) caf::anon_send(target, test_message(value));
  BOOST_TEST(a.link->totals().traffic.messages_dropped == 0u);
  a.link->condemn({9, 9}, 1, {Errc::stale, "so it was said", wall_clock_us()});
  BOOST_REQUIRE(a.events.wait_for("down "));
  BOOST_TEST(a.link->totals().traffic.messages_out == 3u);
  BOOST_TEST(a.link->totals().traffic.messages_dropped == 3u);
  BOOST_TEST(a.link->totals().messages_queued == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

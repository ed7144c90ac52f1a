#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>
#include <future>
#include <optional>
#include <thread>

#include "tests/runtime/link/relay.hpp"
#include "tests/runtime/link/test_node.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace std::chrono_literals;

namespace reconnect_test {

constexpr Duration dead_after = 2s;

LinkSettings quick(std::string name, std::uint64_t id) {
  LinkSettings settings = TestNode::defaults(std::move(name), id);
  settings.heartbeat = 50ms;
  settings.suspect_after = 500ms;
  settings.dead_after = dead_after;
  settings.credit_bytes = 1 << 20;
  return settings;
}

caf::behavior quitter(caf::event_based_actor* self) {
  return {[self](const AnyMessage&) { self->quit(to_caf({Errc::corruption, "it was told to"})); }};
}

template <class Done>
bool wait_until(Done done) {
  for (int i = 0; i < 2000; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

/// Node a dials node b through a relay; b has no way to dial a.
struct Apart {
  TestNode a{quick("a", 1)};
  TestNode b{quick("b", 2)};
  Relay relay{b.endpoint()};

  Apart() {
    a.link->introduce(b.self, {relay.endpoint()});
    BOOST_REQUIRE(answers(a, b.spawn(doubler)));
  }

  /// Whether an actor answers, asked until one question is neither lost nor refused.
  static bool answers(TestNode& from, const ActorAddress& target) {
    return wait_until([&] {
      bool answered = false;
      caf::scoped_actor self(from.system);
      self->request(from.handle(target), caf::duration(5s), test_message(2))
          .receive([&](const AnyMessage&) { answered = true; }, [](const caf::error&) {});
      return answered;
    });
  }
  /// Why a question that was under way was not answered.
  static Error failure_of_pending(TestNode& from, const ActorAddress& target,
                                  const std::function<void()>& meanwhile) {
    caf::scoped_actor self(from.system);
    auto pending = self->request(from.handle(target), caf::duration(10s), test_message(1));
    BOOST_REQUIRE(wait_until([&] { return from.link->stats()[0].requests_pending > 0; }));
    std::this_thread::sleep_for(20ms);
    meanwhile();
    Error why{Errc::internal, "answered"};
    pending.receive([](const AnyMessage&) {}, [&](const caf::error& e) { why = from_caf(e); });
    return why;
  }
  std::uint64_t connections(TestNode& node) const { return node.link->stats().at(0).connections; }
};

}  // namespace reconnect_test

BOOST_FIXTURE_TEST_SUITE(reconnect_test, Apart)

BOOST_AUTO_TEST_CASE(a_cut_connection_is_made_again_and_what_was_asked_on_it_fails) {
  const Error why = failure_of_pending(a, b.spawn(silent), [this] { relay.cut(); });
  BOOST_TEST((why.code == Errc::unavailable));
  BOOST_TEST(why.context.find("the connection was") != std::string::npos);
  BOOST_TEST(why.context.find(to_string(b.self.node)) != std::string::npos);
  const Instant before = monotonic_now();
  BOOST_TEST(answers(a, b.spawn(doubler)));
  BOOST_TEST((monotonic_now() - before < 2 * dead_after));
  BOOST_TEST(answers(b, a.spawn(doubler)));
  BOOST_TEST(connections(a) == 2u);
  BOOST_TEST(connections(b) == 2u);
  for (TestNode* node : {&a, &b})
    for (const auto& line : node->events.lines()) BOOST_TEST(!line.starts_with("down"));
}

// Goal: the node behind an old socket that is open and dead takes the new connection at once, and
// closes the old one first.
BOOST_AUTO_TEST_CASE(a_half_open_connection_gives_way_to_the_new_one) {
  const ActorAddress here = a.spawn(silent);
  const Error why = failure_of_pending(b, here, [this] { relay.cut_near_side(); });
  BOOST_TEST(why.context.find("opened another") != std::string::npos);
  BOOST_TEST(answers(b, a.spawn(doubler)));
  BOOST_TEST(connections(b) == 2u);
  BOOST_TEST(!b.events.wait_for("down a", 1, 10ms));
}

BOOST_AUTO_TEST_CASE(a_watch_outlives_the_connection_it_was_announced_on) {
  const caf::actor target = a.handle(b.spawn(quitter));
  caf::scoped_actor self(a.system);
  self->monitor(target);
  BOOST_REQUIRE(answers(a, b.spawn(doubler)));
  relay.cut();
  BOOST_REQUIRE(answers(a, b.spawn(doubler)));
  self->send(target, test_message(1));
  self->receive([](const caf::down_msg& down) {
    BOOST_TEST(from_caf(down.reason).context == "it was told to");
  });
}

BOOST_AUTO_TEST_CASE(a_death_while_there_is_no_connection_is_told_on_the_next) {
  const ActorAddress there = b.spawn(quitter);
  caf::scoped_actor self(a.system);
  self->monitor(a.handle(there));
  BOOST_REQUIRE(answers(a, b.spawn(doubler)));
  relay.refuse(true);
  relay.cut();
  caf::anon_send(caf::actor_cast<caf::actor>(b.table.find(there.number)), test_message(1));
  BOOST_REQUIRE(wait_until([&] { return relay.dials() >= 3; }));
  relay.refuse(false);
  bool told = false;
  self->receive([&](const caf::down_msg&) { told = true; }, caf::after(10s) >> [] {});
  BOOST_TEST(told);
}

BOOST_AUTO_TEST_CASE(dialling_pauses_longer_and_longer_and_death_ends_it) {
  const Error why = failure_of_pending(a, b.spawn(silent), [this] {
    relay.refuse(true);
    relay.cut();
  });
  BOOST_TEST((why.code == Errc::unavailable));
  BOOST_TEST(a.events.wait_for("down b"));
  // Pauses of 50, 100, 200, 400 and 800 ms before the 2 s are over.
  BOOST_TEST(relay.dials() >= 4u);
  BOOST_TEST(relay.dials() <= 8u);
  const std::size_t dials = relay.dials();
  std::this_thread::sleep_for(300ms);
  BOOST_TEST(relay.dials() == dials);
}

BOOST_AUTO_TEST_CASE(silence_on_an_open_connection_is_suspect_then_death_on_both_sides) {
  caf::scoped_actor self(a.system);
  self->monitor(a.handle(b.spawn(silent)));
  const Instant before = monotonic_now();
  const Error why = failure_of_pending(a, b.spawn(silent), [this] { relay.silence(true); });
  BOOST_TEST((monotonic_now() - before < 2 * dead_after));
  BOOST_TEST(why.context.find("nothing was heard from it") != std::string::npos);
  self->receive([](const caf::down_msg& down) {
    BOOST_TEST((from_caf(down.reason).code == Errc::unavailable));
  });
  for (TestNode* node : {&a, &b}) {
    BOOST_TEST(node->events.wait_for("suspect"));
    BOOST_TEST(node->events.wait_for("down"));
  }
}

BOOST_AUTO_TEST_CASE(a_short_silence_is_forgiven) {
  relay.silence(true);
  BOOST_REQUIRE(a.events.wait_for("suspect b"));
  relay.silence(false);
  BOOST_TEST(a.events.wait_for("up b", 2));
  BOOST_TEST(answers(a, b.spawn(doubler)));
  BOOST_TEST(connections(a) == 1u);
}

// Goal: credit is counted for each connection. Method: all of it is out when the connection is
// lost, and what was sent on that is handled only while the next one is in use.
BOOST_AUTO_TEST_CASE(credit_lost_with_a_connection_is_there_on_the_next) {
  std::promise<void> go_on;
  const ActorAddress slow =
      b.spawn([gate = go_on.get_future().share()](caf::event_based_actor*) -> caf::behavior {
        return {[gate](const AnyMessage&) { gate.wait(); }};
      });
  const auto target = caf::actor_cast<caf::strong_actor_ptr>(a.handle(slow));
  for (int i = 0; i < 40; ++i) BOOST_REQUIRE(bool(tell(target, nullptr, test_message(1, 8192))));
  BOOST_REQUIRE(wait_until([&] { return a.link->stats()[0].in_flight_bytes >= 1 << 20; }));
  relay.cut();
  BOOST_TEST(answers(a, b.spawn(doubler)));
  go_on.set_value();
  const ActorAddress other = b.spawn(doubler);
  for (int i = 0; i < 200; ++i) BOOST_REQUIRE(answers(a, other));
  BOOST_TEST(a.link->stats()[0].in_flight_bytes < 1u << 20);
  BOOST_TEST(connections(a) == 2u);
}

// Goal: a connection comes to be as long as one of the two can dial, whichever has the lower id.
// Method: what a is told of b leads nowhere, and a goes on trying.
BOOST_AUTO_TEST_CASE(one_side_that_can_be_reached_is_enough) {
  TestNode head(quick("head", 3));
  TestNode worker(quick("worker", 4));
  Endpoint nowhere;
  {
    TestNode gone("gone", 5);
    nowhere = gone.endpoint();
  }
  head.link->introduce(worker.self, {nowhere});
  caf::scoped_actor self(head.system);
  const ActorAddress there = worker.spawn(doubler);
  auto pending = self->request(head.handle(there), caf::duration(10s), test_message(4));
  BOOST_REQUIRE(wait_until([&] { return !head.link->stats().empty(); }));
  std::this_thread::sleep_for(100ms);
  worker.knows(head);
  BOOST_TEST(answers(worker, head.spawn(doubler)));
  pending.receive([](const AnyMessage& answer) { BOOST_TEST(answer.words.data()[0] == 8u); },
                  [](const caf::error& e) { BOOST_ERROR(from_caf(e).context); });
  BOOST_TEST(!head.events.wait_for("down worker", 1, 10ms));
}

BOOST_AUTO_TEST_SUITE_END()

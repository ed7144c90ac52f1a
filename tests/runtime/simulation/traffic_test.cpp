#include "runtime/simulation/traffic.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

#include "runtime/actor/failure.hpp"
#include "runtime/simulation/journal.hpp"
#include "tests/support/puppet.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace traffic_test {

// Two nodes beside the outside, one actor on each; the test plays the part that gives turns.
struct Town {
  Town() {
    roster.add(NodeId{9, 9}, "outside", {});
    for (std::uint64_t i = 1; i <= 2; ++i) {
      roster.add(NodeId{i, i}, "node", {});
      roster.reserve(static_cast<std::uint32_t>(i), 0).state = Cell::State::live;
    }
  }

  std::vector<Event> all() {
    std::vector<Event> events;
    while (traffic.next_time())
      if (auto event = traffic.next()) events.push_back(std::move(*event));
    return events;
  }
  std::size_t count(Event::Kind kind) {
    const auto events = all();
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [kind](const Event& event) { return event.kind == kind; }));
  }

  Journal journal;
  Roster roster{traffic, journal};
  Traffic traffic{1, {}, roster};
  Cell& a() { return roster.cell(0); }
  Cell& b() { return roster.cell(1); }
};

}  // namespace traffic_test

BOOST_FIXTURE_TEST_SUITE(traffic_test, Town)

BOOST_AUTO_TEST_CASE(a_tell_arrives_later_than_it_was_sent) {
  traffic.tell(a(), b().address, note(1).any());
  BOOST_TEST(traffic.pending_messages() == 1u);
  const auto events = all();
  BOOST_REQUIRE(events.size() == 1u);
  BOOST_TEST((events[0].kind == Event::Kind::tell));
  BOOST_TEST((traffic.now() > simulation_start));
  BOOST_TEST(traffic.pending_messages() == 0u);
}

BOOST_AUTO_TEST_CASE(only_the_asked_actor_can_answer_and_only_once) {
  traffic.ask(a(), 1, b().address, question(1).any(), 1s);
  const Event asked = traffic.next().value();
  Call& call = *traffic.find(asked.id);
  traffic.answer(b(), asked.id, note(1).any());
  BOOST_TEST(!call.ended);
  call.received = true;
  traffic.answer(a(), asked.id, note(1).any());
  BOOST_TEST(!call.ended);
  traffic.answer(b(), asked.id, note(1).any());
  traffic.answer(b(), asked.id, note(2).any());
  BOOST_TEST(count(Event::Kind::answer) == 1u);
}

BOOST_AUTO_TEST_CASE(a_closed_call_takes_its_deadline_along) {
  traffic.ask(a(), 1, b().address, question(1).any(), 1s);
  const Event asked = traffic.next().value();
  traffic.close(asked.id);
  BOOST_TEST(!traffic.find(asked.id));
  BOOST_TEST(traffic.pending() == 0u);
}

BOOST_AUTO_TEST_CASE(a_deadline_that_has_come_can_be_closed) {
  traffic.ask(a(), 1, b().address, question(1).any(), 1s);
  const Event asked = traffic.next().value();
  const Event deadline = traffic.next().value();
  BOOST_TEST((deadline.kind == Event::Kind::deadline));
  BOOST_TEST(deadline.id == asked.id);
  traffic.tell(a(), b().address, note(1).any());
  traffic.close(asked.id);
  BOOST_TEST(count(Event::Kind::tell) == 1u);
}

BOOST_AUTO_TEST_CASE(a_severed_link_bounces_what_was_and_will_be_asked) {
  traffic.ask(a(), 1, b().address, question(1).any(), 1s);
  traffic.watch(a(), b().address);
  traffic.sever(1, 2);
  traffic.bounce_severed(2, Error{Errc::unavailable, "gone"});
  traffic.bounce_severed(2, Error{Errc::unavailable, "gone twice"});
  traffic.ask(a(), 2, b().address, question(1).any(), 1s);
  traffic.tell(a(), b().address, note(1).any());
  const auto events = all();
  std::size_t answers = 0;
  for (const Event& event : events) {
    BOOST_TEST((event.kind != Event::Kind::ask && event.kind != Event::Kind::tell));
    if (event.kind != Event::Kind::answer) continue;
    ++answers;
    BOOST_TEST((failure_of(event.message).value().code == Errc::unavailable));
  }
  BOOST_TEST(answers == 3u);
}

BOOST_AUTO_TEST_CASE(what_is_held_up_comes_in_its_old_order) {
  traffic.set_apart(1, 2, true);
  for (std::uint64_t i = 0; i < 10; ++i) traffic.tell(a(), b().address, note(i).any());
  BOOST_TEST(all().empty());
  BOOST_TEST(traffic.pending_messages() == 10u);
  traffic.tell(a(), b().address, note(10).any());
  traffic.set_apart(1, 2, false);
  const auto events = all();
  BOOST_REQUIRE(events.size() == 11u);
  for (std::uint64_t i = 0; i <= 10; ++i)
    BOOST_TEST(value_of(Note::from(events[i].message).value()) == i);
}

BOOST_AUTO_TEST_CASE(what_waits_for_a_paused_node_is_lost_with_it) {
  SimulatedNode& node = roster.node(2);
  node.state = SimulatedNode::State::paused;
  traffic.tell(a(), b().address, note(1).any());
  traffic.start_timer(b(), 4, 1s);
  BOOST_TEST(all().empty());
  BOOST_TEST(node.parked.size() == 2u);
  node.state = SimulatedNode::State::dead;
  traffic.unpark(node);
  BOOST_TEST(all().empty());
  BOOST_TEST(traffic.pending_messages() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

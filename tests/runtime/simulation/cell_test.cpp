#include "runtime/simulation/cell.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/simulation/journal.hpp"
#include "tests/support/stage.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(cell_test, Stage)

BOOST_AUTO_TEST_CASE(an_actor_sees_its_address_and_the_virtual_time) {
  Puppet& puppet = this->puppet(left, 3);
  BOOST_TEST((puppet.self_ref().address == ActorAddress{left, 1, 3}));
  run_for(5s);
  BOOST_TEST((puppet.now() == simulation.now()));
  BOOST_TEST((puppet.now() == simulation_start + 5s));
}

BOOST_AUTO_TEST_CASE(what_an_actor_logs_is_kept_up_to_a_limit) {
  Puppet& puppet = this->puppet(left);
  simulation.set_log_limit(2);
  for (const char* text : {"one", "two", "three"}) puppet.log(LogLevel::warning, text);
  const auto& lines = simulation.log_lines();
  BOOST_REQUIRE(lines.size() == 2u);
  BOOST_TEST(lines[0].text == "two");
  BOOST_TEST((lines[1].actor == puppet.self_ref().address));
}

BOOST_AUTO_TEST_CASE(in_its_last_turn_an_actor_may_tell_but_starts_nothing) {
  Puppet& listener = puppet(left);
  Puppet& leaver = puppet(left);
  leaver.when_stopped = [&] {
    (void)leaver.tell(listener.self_ref(), note(1));
    leaver.inquire(listener.self_ref(), 2, 1s);
    leaver.after(1s, [] { BOOST_ERROR("a timer of a dead actor fired"); });
    leaver.watch(listener.self_ref());
  };
  int asked = 0;
  listener.when_asked = [&](std::uint64_t, Puppet::Reply) { ++asked; };
  run_for(1ms);
  leaver.stop();
  (void)simulation.kill_actor(leaver.self_ref().address, Error{Errc::unavailable, "enough"});
  run_for(10s);
  BOOST_TEST(listener.notes.size() == 1u);
  BOOST_TEST(asked == 0);
  BOOST_TEST(simulation.pending() == 0u);
}

BOOST_AUTO_TEST_CASE(a_destructor_speaks_to_nobody) {
  Puppet& listener = puppet(left);
  Puppet& leaver = puppet(left);
  const PuppetRef to = listener.self_ref();
  leaver.when_destroyed = [&leaver, to] { (void)leaver.tell(to, note(1)); };
  run_for(1ms);
  (void)simulation.kill_actor(leaver.self_ref().address, Error{Errc::unavailable, "enough"});
  run_for(1s);
  BOOST_TEST(listener.notes.empty());
}

BOOST_AUTO_TEST_CASE(the_first_reason_to_stop_counts) {
  Puppet& puppet = this->puppet(left);
  const ActorAddress address = puppet.self_ref().address;
  puppet.when_told = [&](std::uint64_t) {
    puppet.stop(Error{Errc::stale, "fenced"});
    puppet.stop();
  };
  simulation.tell(address, note(1).any());
  run_for(1ms);
  const auto statuses = simulation.actors(left);
  BOOST_REQUIRE(statuses.size() == 1u);
  BOOST_TEST((statuses[0].end.value().code == Errc::stale));
}

BOOST_AUTO_TEST_SUITE_END()

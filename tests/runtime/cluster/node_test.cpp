#include "runtime/cluster/node.hpp"

#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "tests/runtime/cluster/quiet_node.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace node_test {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace node_test

BOOST_FIXTURE_TEST_SUITE(node_test, QuietNode)

BOOST_AUTO_TEST_CASE(every_start_is_another_node) {
  QuietNode other;
  BOOST_TEST((node->identity().node != other.node->identity().node));
  BOOST_TEST(node->identity().incarnation > 1'000'000'000'000'000u);
}

BOOST_AUTO_TEST_CASE(an_actor_can_have_a_number_of_its_own_which_is_never_given_again) {
  const auto fixed = node->spawn(Probe::type(), probe_spec().any(), 3);
  BOOST_TEST(fixed.value().number == 3u);
  BOOST_TEST(
      (node->spawn(Probe::type(), probe_spec().any(), 3).error().code == Errc::already_exists));
  BOOST_REQUIRE(node->kill(*fixed, Error{Errc::unavailable, "enough"}));
  while (node->call(ProbeRef{*fixed}, say("there?"), 5s)) {
  }
  BOOST_TEST(
      (node->spawn(Probe::type(), probe_spec().any(), 3).error().code == Errc::already_exists));
}

BOOST_AUTO_TEST_CASE(an_unknown_type_is_refused_by_name) {
  const auto spawned = node->spawn("philosopher", probe_spec().any());
  BOOST_TEST((spawned.error().code == Errc::invalid_argument));
  BOOST_TEST(spawned.error().context.find("philosopher") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_constructor_that_throws_fails_the_spawn_with_its_text) {
  const auto spawned = node->spawn("probe", probe_spec("no such file").any());
  BOOST_TEST((spawned.error().code == Errc::internal));
  BOOST_TEST(spawned.error().context.find("no such file") != std::string::npos);
  const auto records = node->list();
  BOOST_REQUIRE(records.size() == 1u);
  BOOST_TEST(!records[0].alive);
  BOOST_TEST(records[0].reason.find("no such file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(killing_what_is_not_there_is_an_error) {
  BOOST_TEST((node->kill(ActorAddress{node->identity().node, node->identity().incarnation, 99},
                         Error{Errc::unavailable, "enough"})
                  .error()
                  .code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(an_address_of_an_earlier_incarnation_is_stale) {
  ActorAddress old = probe().address;
  --old.incarnation;
  BOOST_TEST((node->call(ProbeRef{old}, say("hello"), 5s).error().code == Errc::stale));
}

BOOST_AUTO_TEST_CASE(a_blocking_call_ends_with_its_deadline) {
  BOOST_TEST((node->call(probe(), say("never", UINT32_MAX), 50ms).error().code == Errc::timeout));
}

BOOST_AUTO_TEST_CASE(a_node_counts_what_its_actors_do) {
  const ProbeRef first = probe(), second = probe();
  settle(first);
  NodeStats stats = node->stats();
  BOOST_TEST(stats.actors_alive == 2u);
  BOOST_TEST(stats.messages_handled == 1u);
  BOOST_TEST(stats.asks_made == 1u);
  BOOST_TEST(stats.messages_waiting == 0u);

  // One ask that expires of an actor, one of this thread, and two that are waited for.
  BOOST_TEST(!node->call(first, relay(second.address, UINT32_MAX, 20), 5s));
  BOOST_TEST(!node->call(second, say("never", UINT32_MAX), 20ms));
  BOOST_TEST(node->stats().asks_expired == 2u);
  auto asked = std::async(std::launch::async, [&] {
    return bool(node->call(first, relay(second.address, UINT32_MAX, 60'000), 60s));
  });
  while (node->stats().asks_outstanding < 2) std::this_thread::yield();

  BOOST_REQUIRE(node->kill(first.address, Error{Errc::unavailable, "enough"}));
  while (node->stats().actors_ended == 0) std::this_thread::yield();
  stats = node->stats();
  BOOST_TEST(stats.actors_alive == 1u);
  BOOST_TEST(stats.actors_failed == 1u);
  BOOST_TEST(!asked.get());
  stats = node->stats();
  BOOST_TEST(stats.asks_outstanding == 0u);
}

BOOST_AUTO_TEST_CASE(stopping_ends_every_actor_and_later_calls_fail) {
  const ProbeRef target = probe();
  probe("blocking_probe");
  BOOST_TEST(bool(node->stop()));
  BOOST_TEST((node->call(target, say("hello"), 5s).error().code == Errc::unavailable));
  BOOST_TEST((node->spawn("probe", probe_spec().any()).error().code == Errc::unavailable));
  BOOST_TEST(bool(node->stop()));
}

BOOST_AUTO_TEST_CASE(stopping_waits_only_so_long_for_an_actor_that_is_stuck) {
  NodeSettings settings;
  settings.stop_within = 100ms;
  QuietNode stuck(std::move(settings));
  const ProbeRef target = stuck.probe("blocking_probe");
  BOOST_REQUIRE(stuck.node->tell(target.address, block(500).any()));
  // Until the actor is in that turn.
  BOOST_REQUIRE(stuck.call(stuck.probe(), say("a while", 50)));
  const Instant before = monotonic_now();
  const Status stopped = stuck.node->stop();
  BOOST_TEST((monotonic_now() - before < 400ms));
  BOOST_REQUIRE(!stopped);
  BOOST_TEST(stopped.error().context.find(to_string(target.address)) != std::string::npos);
}

// Goal: an actor whose constructor runs while its node is stopped is ended like the others.
BOOST_AUTO_TEST_CASE(stopping_ends_an_actor_that_is_being_constructed) {
  std::promise<void> constructing;
  std::promise<void> go_on;
  const ActorType type{"slow", Turns::computing, [&](Host& host, const AnyMessage& spec) {
                         constructing.set_value();
                         go_on.get_future().wait();
                         return Probe::type().make(host, spec);
                       }};
  auto spawned =
      std::async(std::launch::async, [&] { return node->spawn(type, probe_spec().any(), 0); });
  constructing.get_future().wait();
  auto stopped = std::async(std::launch::async, [&] { return node->stop(); });
  BOOST_TEST((stopped.wait_for(100ms) == std::future_status::timeout));
  go_on.set_value();
  BOOST_TEST(bool(stopped.get()));
  const auto address = spawned.get();
  BOOST_REQUIRE(!address);
  BOOST_TEST((address.error().code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(an_answer_of_malformed_words_is_an_error) {
  struct Liar final : Behaviour {
    Liar(Host& in, std::uint64_t as) : host(in), type(as) {}
    void started() noexcept override {}
    void received(const ActorAddress&, std::uint64_t request, const AnyMessage&) noexcept override {
      const std::vector<std::byte> garbage(64, std::byte{0xff});
      host.answer(request, AnyMessage{type, Words::copy(garbage)});
    }
    void answered(std::uint64_t, const AnyMessage&) noexcept override {}
    void timer_fired(std::uint64_t) noexcept override {}
    void down(const ActorAddress&, const AnyMessage&) noexcept override {}
    void stopping(const AnyMessage&) noexcept override {}
    Host& host;
    const std::uint64_t type;
  };
  for (const std::uint64_t as : {type_id<schema::Failure>(), type_id<schema::Said>()}) {
    const ActorType type{"liar", Turns::computing, [as](Host& host, const AnyMessage&) {
                           return std::unique_ptr<Behaviour>(std::make_unique<Liar>(host, as));
                         }};
    const ProbeRef liar{node->spawn(type, {}, 0).value()};
    const auto answer = call(liar, say("hello"));
    BOOST_REQUIRE(!answer);
    BOOST_TEST((answer.error().code == Errc::corruption));
  }
}

BOOST_AUTO_TEST_CASE(an_idle_node_uses_no_processor_time) {
  const ProbeRef waiting = probe();
  BOOST_REQUIRE(call(waiting, say("a while", 200)));
  const double before = cpu_seconds();
  BOOST_REQUIRE(call(waiting, say("a longer while", 1000)));
  BOOST_TEST(cpu_seconds() - before < 0.02);
}

BOOST_AUTO_TEST_SUITE_END()

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>
#include <future>
#include <memory>
#include <thread>

#include "tests/runtime/link/test_node.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace std::chrono_literals;

namespace pressure_test {

caf::behavior quitter(caf::event_based_actor* self) {
  return {[self](const AnyMessage&) { self->quit(); }};
}

LinkSettings narrow(std::string name, std::uint64_t id) {
  LinkSettings settings = TestNode::defaults(std::move(name), id);
  settings.peer_queue_bytes_max = 1 << 20;
  settings.credit_bytes = 1 << 20;
  return settings;
}

// Two nodes with low bounds.
struct Narrow {
  TestNode a{narrow("a", 1)};
  TestNode b{narrow("b", 2)};

  Narrow() { a.knows(b); }
};

}  // namespace pressure_test

BOOST_FIXTURE_TEST_SUITE(pressure_test, Narrow)

BOOST_AUTO_TEST_CASE(a_full_queue_refuses_instead_of_growing) {
  // Blocks its own thread, so that no credit comes back.
  std::promise<void> go_on;
  const ActorAddress slow =
      b.spawn([gate = go_on.get_future().share()](caf::event_based_actor*) -> caf::behavior {
        return {[gate](const AnyMessage&) { gate.wait(); }};
      });
  const auto target = caf::actor_cast<caf::strong_actor_ptr>(a.handle(slow));
  Status status = ok();
  std::size_t sent = 0;
  while ((status = tell(target, nullptr, test_message(1, 8192))) && sent < 10'000) ++sent;
  BOOST_REQUIRE(!status);
  BOOST_TEST((status.error().code == Errc::overloaded));
  // Both bounds, each overshot by one message at most.
  BOOST_TEST(sent <= (3u << 20) / 65'536u);
  const auto stats = a.link->stats();
  BOOST_TEST(stats[0].refused_overloaded == 1u);
  BOOST_TEST(stats[0].in_flight_bytes + stats[0].queued_bytes <= 3u << 20);
  go_on.set_value();
  for (int i = 0; i < 2000 && !tell(target, nullptr, test_message(1, 8192)); ++i)
    std::this_thread::sleep_for(5ms);
  BOOST_TEST(bool(tell(target, nullptr, test_message(1, 10))));
}

// Goal: no amount of queued bulk keeps credits back, or deaths. Method: b has far more queued for a
// than its bound, since one message may overshoot it, while a sends to b and watches there.
BOOST_AUTO_TEST_CASE(what_keeps_the_other_side_going_is_sent_however_much_waits) {
  b.knows(a);
  std::promise<void> go_on;
  const ActorAddress slow =
      a.spawn([gate = go_on.get_future().share()](caf::event_based_actor*) -> caf::behavior {
        return {[gate](const AnyMessage&) { gate.wait(); }};
      });
  const auto here = caf::actor_cast<caf::strong_actor_ptr>(b.handle(slow));
  const std::size_t large = (std::size_t{24} << 20) / 8;
  BOOST_REQUIRE(bool(tell(here, nullptr, test_message(1, large))));
  const auto all_sent = [&] { return b.link->stats().at(0).queued_bytes == 0; };
  for (int i = 0; i < 4000 && !all_sent(); ++i) std::this_thread::sleep_for(5ms);
  // The first has taken all the credit, so the second waits.
  BOOST_REQUIRE(bool(tell(here, nullptr, test_message(1, large))));
  BOOST_REQUIRE((tell(here, nullptr, test_message(1)).error().code == Errc::overloaded));

  const ActorAddress last = b.spawn(quitter);
  caf::scoped_actor self(a.system);
  self->monitor(a.handle(last));
  auto received = std::make_shared<std::atomic<int>>(0);
  const ActorAddress sink = b.spawn([received](caf::event_based_actor*) -> caf::behavior {
    return {[received](const AnyMessage&) { ++*received; }};
  });
  const auto there = caf::actor_cast<caf::strong_actor_ptr>(a.handle(sink));
  for (int i = 0; i < 2000 && *received < 64; ++i) {
    (void)tell(there, nullptr, test_message(1, 8192));
    std::this_thread::sleep_for(2ms);
  }
  BOOST_TEST(*received >= 64);

  caf::anon_send(caf::actor_cast<caf::actor>(b.table.find(last.number)), test_message(1));
  std::this_thread::sleep_for(50ms);
  go_on.set_value();
  bool told = false;
  self->receive([&](const caf::down_msg&) { told = true; }, caf::after(10s) >> [] {});
  BOOST_TEST(told);
}

BOOST_AUTO_TEST_SUITE_END()

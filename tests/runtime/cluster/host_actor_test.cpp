#include "runtime/cluster/host_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <string>

#include "runtime/base/clock.hpp"
#include "tests/runtime/cluster/quiet_node.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(host_actor_test, QuietNode)

BOOST_AUTO_TEST_CASE(a_blocking_actor_answers_like_any_other) {
  const auto answer =
      node->call(probe("blocking_probe"), relay(probe("blocking_probe").address, 0, 5000), 5s);
  BOOST_TEST(text_of(answer.value()) == "relayed");
}

BOOST_AUTO_TEST_CASE(an_exception_ends_the_actor_and_its_text_reaches_everyone_waiting) {
  const ProbeRef target = probe();
  auto in_hand =
      std::async(std::launch::async, [&] { return call(target, say("never", UINT32_MAX)); });
  auto watcher = std::async(std::launch::async,
                            [&] { return node->call(probe(), watch(target.address), 5s); });
  auto relayed = std::async(std::launch::async, [&] {
    return node->call(probe(), relay(target.address, UINT32_MAX, 5000), 5s);
  });
  while (settle(target) < 3) {
  }
  BOOST_REQUIRE(node->tell(target.address, crash("out of cheese").any()));
  for (const Error& error : {in_hand.get().error(), relayed.get().error()}) {
    BOOST_TEST((error.code == Errc::unavailable));
    BOOST_TEST(has(error, "out of cheese"));
    BOOST_TEST(has(error, to_string(target.address)));
    BOOST_TEST(has(error, "ended at 20"));
  }
  const std::string death = text_of(watcher.get().value());
  BOOST_TEST(death.find("internal: ") == 0);
  BOOST_TEST(death.find("out of cheese") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(requests_left_in_the_mailbox_of_a_dead_actor_are_answered_with_why) {
  const ProbeRef target = probe("blocking_probe");
  BOOST_REQUIRE(node->tell(target.address, block(200).any()));
  BOOST_REQUIRE(node->tell(target.address, crash("too late").any()));
  const auto answer = call(target, say("hello"));
  BOOST_TEST((answer.error().code == Errc::unavailable));
  BOOST_TEST(has(answer.error(), "too late"));
}

BOOST_AUTO_TEST_CASE(a_full_mailbox_refuses_tells_and_asks_but_no_answers) {
  NodeSettings settings;
  settings.mailbox.messages = 10;
  QuietNode small(std::move(settings));
  const ProbeRef target = small.probe("blocking_probe");
  BOOST_REQUIRE(small.node->tell(target.address, block(500).any()));
  // Until that one has left the mailbox.
  BOOST_REQUIRE(small.call(small.probe(), say("a while", 100)));
  Status told = ok();
  int sent = 0;
  while (told && sent < 100) {
    told = small.node->tell(target.address, block(0).any());
    ++sent;
  }
  BOOST_TEST((told.error().code == Errc::overloaded));
  BOOST_TEST(sent <= 12);
  BOOST_TEST((small.node->call(target, say("hello"), 5s).error().code == Errc::overloaded));
  BOOST_TEST((small.node->call(small.probe(), relay(target.address, 0, 5000), 5s).error().code ==
              Errc::overloaded));
  BOOST_TEST(small.node->stats().messages_refused == 3u);
  BOOST_TEST(small.node->stats().messages_waiting >= 10u);
}

BOOST_AUTO_TEST_SUITE_END()

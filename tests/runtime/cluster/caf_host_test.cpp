#include "runtime/cluster/caf_host.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "runtime/base/clock.hpp"
#include "tests/runtime/cluster/quiet_node.hpp"
#include "tests/support/puppet.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace caf_host_test {

/// Does everything in its constructor that belongs into `on_start`.
class Hasty : public Actor<ProbeProtocol> {
 public:
  Hasty(Host& host, const ProbeRef& target) : Actor(host) {
    on(&Hasty::say);
    static_cast<void>(tell(target, crash("told too early")));
    ask(target, slime::tests::say("hello"), std::chrono::seconds(5),
        [this](Result<Message<schema::Said>> answer) { asked_ = to_string(answer.error()); });
    after(std::chrono::milliseconds(10), [this] { timer_ = true; });
    watch(target);
  }

 private:
  void on_down(const ActorAddress&, const Error& error) override { death_ = error.context; }
  void say(const Message<schema::Say>&, Reply<schema::Said> reply) {
    reply.send(Message<schema::Said>::make([this](schema::Said::Builder root) {
      root.setText(asked_ + (timer_ ? "; timer" : "") + "; " + death_);
    }));
  }

  std::string asked_;
  bool timer_ = false;
  std::string death_;
};

struct Stage : QuietNode {
  using Done = std::function<void(std::uint64_t)>;

  /// A puppet that does `work` when it is asked and answers with what is then given to `done`.
  PuppetRef puppet(std::function<void(Puppet&, std::uint64_t, Done)> work) {
    const ActorType type = puppet_type([work](Puppet& self) {
      self.when_asked = [&self, work](std::uint64_t value, Puppet::Reply reply) {
        const auto kept = std::make_shared<Puppet::Reply>(std::move(reply));
        work(self, value, [kept](std::uint64_t answer) { kept->send(note(answer)); });
      };
    });
    return PuppetRef{node->spawn(type, {}, 0).value()};
  }
};

}  // namespace caf_host_test

BOOST_FIXTURE_TEST_SUITE(caf_host_test, Stage)

BOOST_AUTO_TEST_CASE(an_actor_asks_another_and_gets_its_answer) {
  const auto answer = node->call(probe(), relay(probe().address, 0, 5000), 5s);
  BOOST_TEST(text_of(answer.value()) == "relayed");
}

BOOST_AUTO_TEST_CASE(an_answer_may_come_in_a_later_turn) {
  BOOST_TEST(text_of(call(probe(), say("later", 20)).value()) == "later");
}

BOOST_AUTO_TEST_CASE(an_ask_without_an_answer_ends_with_its_deadline_and_not_before) {
  const ProbeRef target = probe();
  const Instant before = monotonic_now();
  const auto answer = node->call(probe(), relay(target.address, UINT32_MAX, 150), 5s);
  const Duration taken = monotonic_now() - before;
  BOOST_TEST((answer.error().code == Errc::timeout));
  BOOST_TEST(has(answer.error(), to_string(target.address)));
  BOOST_TEST((taken >= 150ms && taken < 2s));
}

BOOST_AUTO_TEST_CASE(a_late_answer_is_dropped_and_the_next_ask_gets_its_own) {
  const ProbeRef asker = probe();
  const ProbeRef target = probe();
  BOOST_TEST((node->call(asker, relay(target.address, 100, 20), 5s).error().code == Errc::timeout));
  BOOST_TEST(text_of(node->call(asker, relay(target.address, 200, 5000), 5s).value()) == "relayed");
}

// Goal: whoever computes for long hears what was answered meanwhile.
BOOST_AUTO_TEST_CASE(an_answer_that_waits_behind_a_long_turn_is_in_time) {
  const ProbeRef target = probe();
  const PuppetRef asker = puppet([target](Puppet& self, std::uint64_t, auto done) {
    self.ask(ProbeRef{target}, say("meanwhile"), 50ms,
             [done](const Result<Message<schema::Said>>& answer) { done(bool(answer) ? 1 : 0); });
    // For the rest of the turn.
    std::promise<void>().get_future().wait_for(200ms);
  });
  BOOST_TEST(value_of(node->call(asker, question(0), 5s).value()) == 1u);
}

// Goal: a transfer that takes longer than a try is not repeated for ever. Method: every try is
// answered long after its deadline.
BOOST_AUTO_TEST_CASE(a_repeated_ask_ends_with_an_answer_that_came_after_its_deadline) {
  const ProbeRef target = probe();
  const PuppetRef asker = puppet([target](Puppet& self, std::uint64_t, auto done) {
    self.ask_until_answered(
        ProbeRef{target}, say("slowly", 300), 100ms,
        [done](const Result<Message<schema::Said>>& answer) { done(bool(answer) ? 1 : 0); });
  });
  const Instant before = monotonic_now();
  BOOST_TEST(value_of(node->call(asker, question(0), 5s).value()) == 1u);
  BOOST_TEST((monotonic_now() - before < 2s));
}

BOOST_AUTO_TEST_CASE(asking_or_watching_the_dead_says_why_at_once) {
  const ProbeRef target = probe();
  BOOST_REQUIRE(node->kill(target.address, Error{Errc::unavailable, "drained"}));
  while (call(target, say("there?"))) {
  }
  const Instant before = monotonic_now();
  BOOST_TEST(has(node->call(probe(), relay(target.address, 0, 5000), 5s).error(), "drained"));
  const std::string death = text_of(node->call(probe(), watch(target.address), 5s).value());
  BOOST_TEST(death.find("drained") != std::string::npos);
  BOOST_TEST((monotonic_now() - before < 1s));
}

BOOST_AUTO_TEST_CASE(messages_from_one_sender_arrive_in_order) {
  const ProbeRef target = probe();
  for (int i = 0; i < 1000; ++i) BOOST_REQUIRE(node->tell(target.address, block(0).any()));
  BOOST_TEST(settle(target) == 1001u);
}

BOOST_AUTO_TEST_CASE(a_thousand_asks_with_long_deadlines_leave_nothing_behind) {
  const ProbeRef asker = probe();
  const ProbeRef target = probe();
  for (int i = 0; i < 1000; ++i)
    BOOST_REQUIRE(node->call(asker, relay(target.address, 0, 3'600'000), 5s));
  BOOST_TEST(bool(node->stop()));
}

BOOST_AUTO_TEST_CASE(what_an_actor_does_in_its_constructor_is_refused_or_waits_for_its_start) {
  const ProbeRef target = probe();
  const ActorType type{"hasty", Turns::computing, [target](Host& host, const AnyMessage&) {
                         return std::unique_ptr<Behaviour>(std::make_unique<Hasty>(host, target));
                       }};
  const ProbeRef hasty{node->spawn(type, {}, 0).value()};
  BOOST_REQUIRE(call(probe(), say("a while", 50)));
  BOOST_REQUIRE(node->tell(target.address, crash("now").any()));
  BOOST_REQUIRE(call(probe(), say("a while", 50)));
  const std::string said = text_of(call(hasty, say("?")).value());
  BOOST_TEST(said.starts_with("invalid_argument: "));
  BOOST_TEST(said.find("; timer; ") != std::string::npos);
  BOOST_TEST(said.find("now") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

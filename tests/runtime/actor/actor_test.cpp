#include "runtime/actor/actor.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/noting_host.hpp"
#include "tests/support/stage.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace actor_test {

struct OnStage {
  NotingHost host;
  Puppet puppet{host, Note()};
  Behaviour& behaviour = puppet;
  const PuppetRef other{ActorAddress{NodeId{2, 2}, 1, 21}};

  Errc code(const AnyMessage& message) const { return failure_of(message).value().code; }
  /// Asks until answered, what is answered goes to `heard`; the first try has got no answer in its
  /// time. Returns that try.
  std::uint64_t ask_twice(std::vector<std::uint64_t>& heard) {
    puppet.ask_until_answered(other, question(3), 2s, [&heard](const Result<Note>& answer) {
      heard.push_back(value_of(answer.value()));
    });
    const std::uint64_t first = host.asks.back().ask;
    host.time += 2s;
    behaviour.answered(first, to_failure(Error{Errc::timeout, "no answer"}));
    return first;
  }
};

}  // namespace actor_test

BOOST_FIXTURE_TEST_SUITE(actor_test, OnStage)

BOOST_AUTO_TEST_CASE(a_question_is_answered_under_its_request) {
  behaviour.received(other.address, 5, question(42).any());
  BOOST_REQUIRE(host.answers.size() == 1u);
  BOOST_TEST(host.answers[0].first == 5u);
  BOOST_TEST(value_of(Note::from(host.answers[0].second).value()) == 42u);
}

BOOST_AUTO_TEST_CASE(a_reply_may_be_kept_for_a_later_turn) {
  std::optional<Puppet::Reply> kept;
  puppet.when_asked = [&](std::uint64_t, Puppet::Reply reply) { kept.emplace(std::move(reply)); };
  puppet.when_told = [&](std::uint64_t value) { kept->send(note(value)); };
  behaviour.received(other.address, 5, question(1).any());
  BOOST_TEST(host.answers.empty());
  behaviour.received(other.address, 0, note(9).any());
  kept.reset();
  BOOST_REQUIRE(host.answers.size() == 1u);
  BOOST_TEST(value_of(Note::from(host.answers[0].second).value()) == 9u);
}

BOOST_AUTO_TEST_CASE(a_reply_dropped_unanswered_answers_with_a_failure) {
  puppet.when_asked = [](std::uint64_t, Puppet::Reply) {};
  behaviour.received(other.address, 5, question(1).any());
  BOOST_REQUIRE(host.answers.size() == 1u);
  BOOST_TEST((code(host.answers[0].second) == Errc::internal));
}

BOOST_AUTO_TEST_CASE(an_assigned_reply_answers_for_what_it_held_before) {
  {
    Puppet::Reply first(host, 1);
    Puppet::Reply second(host, 2);
    first = std::move(second);
    first.send(note(3));
  }
  BOOST_REQUIRE(host.answers.size() == 2u);
  BOOST_TEST(host.answers[0].first == 2u);
  BOOST_TEST(host.answers[1].first == 1u);
  BOOST_TEST((code(host.answers[1].second) == Errc::internal));
}

BOOST_AUTO_TEST_CASE(an_unknown_question_is_refused_and_an_unknown_tell_is_logged) {
  const AnyMessage riddle = Message<schema::Riddle>::make().any();
  behaviour.received(other.address, 5, riddle);
  BOOST_REQUIRE(host.answers.size() == 1u);
  BOOST_TEST((code(host.answers[0].second) == Errc::invalid_argument));
  behaviour.received(other.address, 0, riddle);
  BOOST_TEST(host.lines.size() == 1u);
  BOOST_TEST(!host.stopped);
}

BOOST_AUTO_TEST_CASE(an_exception_ends_the_actor_with_its_text) {
  puppet.when_told = [](std::uint64_t) { throw std::runtime_error("out of paint"); };
  behaviour.received(other.address, 0, note(1).any());
  BOOST_REQUIRE(host.stopped.has_value());
  const Error error = failure_of(*host.stopped).value();
  BOOST_TEST((error.code == Errc::internal));
  BOOST_TEST(error.context.find("out of paint") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(whatever_is_thrown_wherever_ends_the_actor) {
  const auto throws = [](auto&&...) { throw 42; };
  const auto ends = [this](auto&& turn) {
    host.stopped.reset();
    turn();
    return host.stopped.has_value();
  };
  puppet.when_started = throws;
  puppet.when_asked = [](std::uint64_t, Puppet::Reply) { throw 42; };
  puppet.when_down = throws;
  puppet.when_stopped = throws;
  BOOST_TEST(ends([&] { behaviour.started(); }));
  BOOST_TEST(ends([&] { behaviour.received(other.address, 5, question(1).any()); }));
  BOOST_TEST(ends([&] { behaviour.down(other.address, {}); }));
  const auto timer = puppet.after(1s, throws);
  BOOST_TEST(ends([&] { behaviour.timer_fired(timer); }));
  const auto ask = puppet.ask(other, question(1), 1s, [](const Result<Note>&) { throw 42; });
  BOOST_TEST(ends([&] { behaviour.answered(ask, note(1).any()); }));
  BOOST_TEST(ends([&] { behaviour.stopping({}); }));
}

BOOST_AUTO_TEST_CASE(malformed_words_end_the_actor) {
  const std::vector<std::byte> garbage(64, std::byte{0xff});
  behaviour.received(other.address, 0, AnyMessage{type_id<schema::Note>(), Words::copy(garbage)});
  BOOST_REQUIRE(host.stopped.has_value());
  BOOST_TEST(puppet.notes.empty());
}

BOOST_AUTO_TEST_CASE(a_full_queue_is_reported_to_the_teller) {
  BOOST_TEST(bool(puppet.tell(other, note(1))));
  host.has_room = false;
  const Status told = puppet.tell(other, note(1));
  BOOST_REQUIRE(!told);
  BOOST_TEST((told.error().code == Errc::overloaded));
}

BOOST_AUTO_TEST_CASE(an_ask_ends_once) {
  puppet.inquire(other, 3, 2s);
  BOOST_REQUIRE(host.asks.size() == 1u);
  BOOST_TEST((host.asks[0].to == other.address));
  BOOST_TEST((host.asks[0].deadline == 2s));
  behaviour.answered(host.asks[0].ask, note(4).any());
  behaviour.answered(host.asks[0].ask, note(5).any());
  BOOST_REQUIRE(puppet.answers.size() == 1u);
  BOOST_TEST(value_of(puppet.answers[0].value()) == 4u);
}

BOOST_AUTO_TEST_CASE(a_failure_or_another_type_ends_an_ask_as_an_error) {
  puppet.inquire(other, 3, 2s);
  puppet.inquire(other, 3, 2s);
  behaviour.answered(host.asks[0].ask, to_failure(Error{Errc::timeout, "late"}));
  behaviour.answered(host.asks[1].ask, question(1).any());
  BOOST_REQUIRE(puppet.answers.size() == 2u);
  BOOST_TEST((puppet.answers[0].error().code == Errc::timeout));
  BOOST_TEST((puppet.answers[1].error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(an_idempotent_ask_is_repeated_until_it_is_answered) {
  std::vector<std::uint64_t> heard;
  puppet.ask_until_answered(other, question(3), 2s, [&](const Result<Note>& answer) {
    heard.push_back(value_of(answer.value()));
  });
  std::size_t tries = 1;
  for (const Errc again : {Errc::timeout, Errc::unavailable, Errc::overloaded}) {
    BOOST_REQUIRE(host.asks.size() == tries);
    behaviour.answered(host.asks.back().ask, to_failure(Error{again, "not now"}));
    // It failed at once: a pause keeps a dead target from being asked in a tight loop.
    BOOST_TEST(host.asks.size() == tries);
    BOOST_REQUIRE(host.timers.size() == tries);
    BOOST_TEST((host.timers.back().second == 1s));
    behaviour.timer_fired(host.timers.back().first);
    ++tries;
  }
  BOOST_TEST((host.asks.back().message.type == type_id<schema::Question>()));
  behaviour.answered(host.asks.back().ask, note(8).any());
  BOOST_TEST(heard == std::vector<std::uint64_t>{8u}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_try_without_an_answer_is_followed_by_the_next_at_once) {
  puppet.ask_until_answered(other, question(3), 2s, [](const Result<Note>&) {});
  for (std::size_t tries = 1; tries < 4; ++tries) {
    host.time += 2s;
    behaviour.answered(host.asks.back().ask, to_failure(Error{Errc::timeout, "no answer"}));
    BOOST_TEST(host.asks.size() == tries + 1);
  }
  BOOST_TEST(host.timers.empty());
}

// Goal: what is lost costs little, and what waits long is hardly asked again.
BOOST_AUTO_TEST_CASE(each_try_waits_twice_as_long_as_the_one_before_up_to_the_most) {
  puppet.ask_until_answered(other, question(3), Retry(20ms, 100ms), [](const Result<Note>&) {});
  for (int tries = 0; tries < 5; ++tries) {
    host.time += host.asks.back().deadline;
    behaviour.answered(host.asks.back().ask, to_failure(Error{Errc::timeout, "no answer"}));
  }
  std::vector<Duration> waited;
  for (const auto& asked : host.asks) waited.push_back(asked.deadline);
  BOOST_TEST((waited == std::vector<Duration>{20ms, 40ms, 80ms, 100ms, 100ms, 100ms}));
  BOOST_TEST(host.timers.empty());
}

BOOST_AUTO_TEST_CASE(tries_that_fail_at_once_are_ever_farther_apart_up_to_a_second) {
  puppet.ask_until_answered(other, question(3), Retry(300ms, 10s), [](const Result<Note>&) {});
  std::vector<Duration> pauses;
  for (int tries = 0; tries < 4; ++tries) {
    behaviour.answered(host.asks.back().ask, to_failure(Error{Errc::unavailable, "dead"}));
    pauses.push_back(host.timers.back().second);
    host.time += pauses.back();
    behaviour.timer_fired(host.timers.back().first);
  }
  BOOST_TEST((pauses == std::vector<Duration>{300ms, 600ms, 1s, 1s}));
  BOOST_TEST(host.asks.size() == 5u);
}

BOOST_AUTO_TEST_CASE(waits_stay_within_bounds_whatever_they_are_made_of) {
  const Retry cut(5s, 1s);
  BOOST_TEST((cut.first == 1s && cut.after(cut.first) == 1s));
  const Retry none(Duration::zero(), 1s);
  BOOST_TEST((none.after(none.first) > Duration::zero()));
  const Retry longest(Duration::max() / 2, Duration::max());
  BOOST_TEST((longest.after(longest.first) == Duration::max()));
  BOOST_TEST((Retry(2s).after(2s) == 2s));
}

BOOST_AUTO_TEST_CASE(the_answer_to_any_try_counts_once) {
  std::vector<std::uint64_t> heard;
  const std::uint64_t first = ask_twice(heard);
  behaviour.answered(first, note(8).any());
  behaviour.answered(host.asks.back().ask, note(9).any());
  BOOST_TEST(heard == std::vector<std::uint64_t>{8u}, boost::test_tools::per_element());
}

// Goal: a target that keeps one question of each asker fails the older try when the newer comes.
BOOST_AUTO_TEST_CASE(an_error_of_an_older_try_changes_nothing) {
  std::vector<std::uint64_t> heard;
  const std::uint64_t first = ask_twice(heard);
  behaviour.answered(first, to_failure(Error{Errc::internal, "dropped unanswered"}));
  BOOST_TEST(host.asks.size() == 2u);
  behaviour.answered(host.asks.back().ask, note(9).any());
  BOOST_TEST(heard == std::vector<std::uint64_t>{9u}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_error_that_repetition_cannot_cure_ends_the_repetition) {
  std::optional<Errc> heard;
  puppet.ask_until_answered(other, question(3), 2s,
                            [&](const Result<Note>& answer) { heard = answer.error().code; });
  behaviour.answered(host.asks[0].ask, to_failure(Error{Errc::stale, "an older term"}));
  BOOST_REQUIRE(heard.has_value());
  BOOST_TEST((*heard == Errc::stale));
  BOOST_TEST(host.timers.empty());
}

BOOST_AUTO_TEST_CASE(a_cancelled_ask_is_not_answered_and_not_repeated) {
  bool heard = false;
  const auto token = std::make_shared<int>();
  const auto ask = puppet.ask_until_answered(
      other, question(3), 2s, [&heard, token](const Result<Note>&) { heard = true; });
  behaviour.answered(ask, to_failure(Error{Errc::timeout, "late"}));
  puppet.cancel(ask);
  BOOST_TEST(token.use_count() == 1);
  behaviour.timer_fired(ask);
  behaviour.answered(ask, note(1).any());
  BOOST_TEST(!heard);
  BOOST_TEST(host.asks.size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_asks_to_one_actor_can_be_forgotten_together) {
  const PuppetRef third{ActorAddress{NodeId{3, 3}, 1, 22}};
  for (std::uint64_t i = 0; i < 3; ++i) puppet.inquire(other, i, 1s);
  puppet.inquire(third, 3, 1s);
  puppet.cancel_asks_to(other.address);
  for (const auto& asked : host.asks) behaviour.answered(asked.ask, note(asked.ask).any());
  BOOST_REQUIRE(puppet.answers.size() == 1u);
  BOOST_TEST(value_of(puppet.answers[0].value()) == host.asks[3].ask);
}

BOOST_AUTO_TEST_CASE(a_timer_fires_once_unless_cancelled) {
  int fired = 0;
  const auto kept = puppet.after(1s, [&] { ++fired; });
  const auto cancelled = puppet.after(1s, [&] { fired += 100; });
  puppet.cancel(cancelled);
  for (int i = 0; i < 2; ++i) {
    behaviour.timer_fired(kept);
    behaviour.timer_fired(cancelled);
  }
  BOOST_TEST(fired == 1);
}

BOOST_AUTO_TEST_CASE(a_callback_may_cancel_everything_and_start_anew) {
  puppet.when_told = [this](std::uint64_t) {
    puppet.after(1s, [this] {
      puppet.cancel_all();
      puppet.inquire(other, 1, 1s);
    });
  };
  behaviour.received(other.address, 0, note(1).any());
  behaviour.timer_fired(host.timers.at(0).first);
  BOOST_TEST(host.asks.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_normal_death_is_reported_as_one) {
  puppet.watch(other);
  BOOST_TEST(host.watched.size() == 1u);
  behaviour.down(other.address, {});
  behaviour.down(other.address, to_failure(Error{Errc::internal, "broken"}));
  BOOST_REQUIRE(puppet.deaths.size() == 2u);
  BOOST_TEST((puppet.deaths[0].code == Errc::unavailable));
  BOOST_TEST((puppet.deaths[1].code == Errc::internal));
}

BOOST_AUTO_TEST_CASE(nothing_pending_outlives_the_last_turn) {
  const auto token = std::make_shared<int>();
  puppet.after(1s, [token] {});
  puppet.ask(other, question(1), 1s, [token](const Result<Note>&) {});
  behaviour.stopping({});
  BOOST_TEST(token.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a_sender_is_known_during_its_message) {
  ActorAddress seen;
  puppet.when_told = [&](std::uint64_t) { seen = puppet.sender(); };
  behaviour.received(other.address, 0, note(1).any());
  BOOST_TEST((seen == other.address));
}

BOOST_AUTO_TEST_SUITE_END()

#include "runtime/actor/durable_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/wire/address.hpp"
#include "tests/support/counter.hpp"
#include "tests/support/noting_host.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace durable_actor_test {

constexpr ActorAddress store{NodeId{9, 9}, 4, 5}, caller{NodeId{3, 3}, 1, 30};

Words words_of(capnp::Data::Reader data) {
  return Words::copy(std::as_bytes(std::span(data.begin(), data.size())));
}

/// A counter whose host is the test: what it asks the state store is answered by hand.
struct Kept {
  explicit Kept(Durability durability = {.name = "till"}) : counter(host, std::move(durability)) {
    behaviour.started();
  }

  /// The newest ask, which must be a `Q`.
  template <class Q>
  Message<Q> asked() const {
    BOOST_REQUIRE(!host.asks.empty());
    return Message<Q>::from(host.asks.back().message).value();
  }
  void answer(const AnyMessage& message) { behaviour.answered(host.asks.back().ask, message); }
  void find() {
    (void)asked<schema::FindStateStore>();
    answer(Message<schema::StateStoreFound>::make([](schema::StateStoreFound::Builder root) {
             write_address(root.initAddress(), store);
           }).any());
  }
  /// Answers the load with what `fill` puts there.
  template <class Fill>
  void load(Fill fill) {
    find();
    (void)asked<schema::LoadState>();
    answer(Message<schema::LoadedState>::make([&](schema::LoadedState::Builder root) {
             root.setGeneration(7);
             fill(root);
           }).any());
  }
  void begin() {
    load([](auto) {});
  }
  void saved() {
    (void)asked<schema::SaveState>();
    answer(Message<schema::StateSaved>::make().any());
  }
  std::uint64_t request(const AnyMessage& message) {
    behaviour.received(caller, ++requests, message);
    return requests;
  }
  std::uint64_t call(std::uint64_t number, std::uint64_t by) {
    return request(once(CallId{"me", number}, add(by)).any());
  }

  /// The answers so far, such as "1=5 2=invalid_argument".
  std::string answers() const {
    std::string all;
    for (const auto& [request, message] : host.answers) {
      const auto error = failure_of(message);
      all += (all.empty() ? "" : " ") + std::to_string(request) + "=" +
             (error ? std::string(to_string(error->code))
                    : std::to_string(value_of(Count::from(message).value())));
    }
    return all;
  }
  /// What the write under way holds, such as "write 1: count 5, replies me/1".
  std::string write() const {
    return asked<schema::SaveState>().read([](schema::SaveState::Reader root) {
      const auto state = Message<schema::CounterState>::adopt(words_of(root.getState().getWords()));
      std::string all = "write " + std::to_string(root.getWrite()) + ": count " +
                        std::to_string(state.read([](auto kept) { return kept.getCount(); })) +
                        ", replies";
      for (const auto reply : root.getReplies())
        all += std::string(" ") + reply.getId().getCaller().cStr() + "/" +
               std::to_string(reply.getId().getNumber());
      for (const auto gone : root.getForgotten())
        all += std::string(" -") + gone.getCaller().cStr() + "/" + std::to_string(gone.getNumber());
      return all;
    });
  }
  Error why_ended() const {
    BOOST_REQUIRE(host.stopped.has_value());
    return failure_of(*host.stopped).value();
  }

  NotingHost host;
  Counter counter;
  Behaviour& behaviour = counter;
  std::uint64_t requests = 0;
};

void fill_state(schema::LoadedState::Builder root, std::uint32_t version, const AnyMessage& any) {
  auto state = root.initState();
  state.setType(any.type);
  state.setVersion(version);
  const auto bytes = any.words.as_bytes();
  state.setWords(kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
}

AnyMessage counted(std::uint64_t count) {
  return Message<schema::CounterState>::make([count](auto root) { root.setCount(count); }).any();
}

}  // namespace durable_actor_test

BOOST_AUTO_TEST_SUITE(durable_actor_test)

BOOST_AUTO_TEST_CASE(it_asks_its_own_node_for_the_store_and_the_store_for_its_state) {
  Kept kept;
  BOOST_TEST((kept.host.asks.back().to == ActorAddress{NodeId{1, 1}, 1, state_guide_number}));
  kept.find();
  BOOST_TEST((kept.host.asks.back().to == store));
  kept.asked<schema::LoadState>().read([&](schema::LoadState::Reader root) {
    BOOST_TEST(root.getName().cStr() == "till");
    BOOST_TEST((read_address(root.getHolder()) == kept.host.self()));
    BOOST_TEST(root.getVersion() == 1u);
  });
}

BOOST_AUTO_TEST_CASE(messages_wait_for_the_state_in_their_order_and_within_a_bound) {
  Kept kept({.name = "till", .waiting_max = 3});
  kept.call(1, 5);
  kept.call(2, 6);
  kept.request(get_count().any());
  kept.call(3, 7);
  BOOST_TEST(kept.answers() == "4=overloaded");
  kept.load([](auto root) { fill_state(root, 1, counted(100)); });
  BOOST_TEST(kept.counter.ready == 1);
  BOOST_TEST(kept.counter.carried_out.size() == 2u);
  BOOST_TEST((kept.counter.carried_out[0] == CallId{"me", 1}));
  BOOST_TEST(kept.write() == "write 1: count 105, replies me/1");
  kept.saved();
  BOOST_TEST(kept.write() == "write 2: count 111, replies me/2");
  kept.saved();
  BOOST_TEST(kept.answers() == "4=overloaded 1=105 2=111 3=111");
}

// Goal: nobody hears of what is not kept: neither who changed it nor who looked at it.
BOOST_AUTO_TEST_CASE(answers_wait_for_the_write_that_keeps_what_they_tell) {
  Kept kept;
  kept.begin();
  kept.request(get_count().any());
  BOOST_TEST(kept.answers() == "1=0");
  kept.call(1, 5);
  kept.request(get_count().any());
  kept.request(add(0).any());
  BOOST_TEST(kept.answers() == "1=0");
  kept.saved();
  BOOST_TEST(kept.answers() == "1=0 2=5 3=5 4=invalid_argument");
}

BOOST_AUTO_TEST_CASE(changes_that_come_while_one_is_written_share_the_next_write) {
  Kept kept;
  kept.begin();
  for (std::uint64_t number = 1; number <= 4; ++number) kept.call(number, 1);
  kept.request(add(1).any());
  BOOST_TEST(kept.write() == "write 1: count 1, replies me/1");
  kept.saved();
  BOOST_TEST(kept.answers() == "1=1");
  BOOST_TEST(kept.write() == "write 2: count 5, replies me/2 me/3 me/4");
  kept.saved();
  BOOST_TEST(kept.answers() == "1=1 2=2 3=3 4=4 5=5");
}

BOOST_AUTO_TEST_CASE(a_repeated_call_gets_the_kept_answer_once_that_is_kept) {
  Kept kept;
  kept.begin();
  kept.call(1, 5);
  kept.call(1, 5);  // While it is written.
  kept.call(2, 5);
  kept.call(2, 5);  // Before its write is begun.
  BOOST_TEST(kept.answers() == "");
  kept.saved();
  BOOST_TEST(kept.answers() == "1=5 2=5");
  kept.saved();
  BOOST_TEST(kept.answers() == "1=5 2=5 3=10 4=10");
  kept.call(1, 5);  // When all is kept.
  BOOST_TEST(kept.answers() == "1=5 2=5 3=10 4=10 5=5");
  BOOST_TEST(kept.counter.carried_out.size() == 2u);
}

BOOST_AUTO_TEST_CASE(replies_that_an_earlier_process_gave_are_known) {
  Kept kept;
  kept.load([](schema::LoadedState::Builder root) {
    fill_state(root, 1, counted(5));
    auto reply = root.initReplies(1)[0];
    write_call(reply.initId(), {"me", 1});
    const Count five = Count::make([](auto count) { count.setValue(5); });
    reply.setType(type_id<schema::Count>());
    const auto bytes = five.words().as_bytes();
    reply.setMessage(kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
  });
  kept.call(1, 5);
  BOOST_TEST(kept.answers() == "1=5");
  BOOST_TEST(kept.counter.carried_out.empty());
}

BOOST_AUTO_TEST_CASE(an_error_changes_nothing_and_is_not_kept) {
  Kept kept;
  kept.begin();
  kept.call(1, 0);
  BOOST_TEST(kept.answers() == "1=invalid_argument");
  kept.call(1, 3);
  kept.saved();
  BOOST_TEST(kept.answers() == "1=invalid_argument 2=3");
}

BOOST_AUTO_TEST_CASE(a_call_without_an_id_takes_effect_each_time) {
  Kept kept;
  kept.begin();
  kept.request(add(2).any());
  kept.saved();
  kept.request(add(2).any());
  BOOST_TEST(kept.write() == "write 2: count 4, replies");
  kept.saved();
  BOOST_TEST(kept.answers() == "1=2 2=4");
}

BOOST_AUTO_TEST_CASE(calls_that_are_too_old_to_be_known_are_refused) {
  Kept kept({.name = "till", .replies = {.window = 2}});
  kept.begin();
  for (std::uint64_t number = 1; number <= 3; ++number) {
    kept.call(number, 1);
    kept.saved();
  }
  BOOST_TEST(kept.answers() == "1=1 2=2 3=3");
  kept.call(1, 1);
  kept.call(4, 1);
  BOOST_TEST(kept.write() == "write 4: count 4, replies me/4 -me/2");
  kept.saved();
  BOOST_TEST(kept.answers() == "1=1 2=2 3=3 4=stale 5=4");
}

BOOST_AUTO_TEST_CASE(changes_that_no_call_made_are_kept_when_asked_for) {
  Kept kept;
  kept.begin();
  kept.behaviour.received(caller, 0,
                          Message<schema::Nudge>::make([](auto root) { root.setBy(3); }).any());
  BOOST_TEST(kept.write() == "write 1: count 3, replies");
  bool done = false;
  kept.counter.when_kept([&done] { done = true; });
  BOOST_TEST(!done);
  kept.saved();
  BOOST_TEST(done);
}

BOOST_AUTO_TEST_CASE(a_store_that_does_not_answer_is_looked_for_again) {
  Kept kept;
  kept.begin();
  kept.call(1, 5);
  const std::string write = kept.write();
  kept.answer(to_failure(Error{Errc::unavailable, "its node is dead"}));
  kept.behaviour.timer_fired(kept.host.timers.back().first);
  kept.find();
  BOOST_TEST(kept.write() == write);
  kept.saved();
  BOOST_TEST(kept.answers() == "1=5");
}

// Goal: what could not be kept was told to nobody, and the actor does not go on with it.
BOOST_AUTO_TEST_CASE(a_write_that_fails_ends_the_actor_with_its_reason) {
  Kept kept;
  kept.begin();
  kept.call(1, 5);
  kept.answer(to_failure(Error{Errc::stale, "actor 2 has loaded it since"}));
  BOOST_TEST((kept.why_ended().code == Errc::stale));
  BOOST_TEST(kept.why_ended().context == "the state of actor till: actor 2 has loaded it since");
  kept.call(2, 5);
  BOOST_TEST(kept.counter.carried_out.size() == 1u);
  BOOST_TEST(kept.answers() == "");
}

BOOST_AUTO_TEST_CASE(an_exception_keeps_nothing_and_answers_nobody) {
  Kept kept;
  kept.begin();
  const std::size_t asks = kept.host.asks.size();
  kept.request(once(CallId{"me", 1}, add(5, "out of coins")).any());
  BOOST_TEST(kept.why_ended().context.find("out of coins") != std::string::npos);
  BOOST_TEST(kept.host.asks.size() == asks);
  BOOST_TEST(kept.answers() == "");
}

BOOST_AUTO_TEST_CASE(what_is_too_large_to_be_kept_ends_the_actor) {
  Kept reply({.name = "till", .reply_bytes_max = 1000});
  reply.begin();
  reply.request(once(CallId{"me", 1}, add(5, "", 1001)).any());
  BOOST_TEST((reply.why_ended().code == Errc::invalid_argument));
  BOOST_TEST(reply.why_ended().context.find("may have 1000") != std::string::npos);
  Kept state({.name = "till", .state_bytes_max = 8});
  state.begin();
  state.call(1, 5);
  BOOST_TEST(state.why_ended().context.find("may have 8") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(answers_that_wait_for_a_write_are_bounded) {
  Kept kept({.name = "till", .waiting_max = 2});
  kept.begin();
  for (std::uint64_t number = 1; number <= 4; ++number) kept.call(number, 1);
  kept.request(get_count().any());
  BOOST_TEST(kept.answers() == "4=overloaded 5=overloaded");
  BOOST_TEST(kept.counter.carried_out.size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_state_of_an_earlier_version_is_brought_up_to_date) {
  Kept kept(
      {.name = "till",
       .version = 2,
       .upcasters = {upcaster<schema::FirstCounterState, schema::CounterState>(
           1, [](auto old, auto next) { next.setCount(12 * std::uint64_t{old.getDozens()}); })}});
  kept.load([](auto root) {
    fill_state(root, 1,
               Message<schema::FirstCounterState>::make([](auto old) { old.setDozens(2); }).any());
  });
  kept.call(1, 1);
  BOOST_TEST(kept.write() == "write 1: count 25, replies me/1");
  kept.asked<schema::SaveState>().read(
      [](auto root) { BOOST_TEST(root.getState().getVersion() == 2u); });
}

BOOST_AUTO_TEST_CASE(a_state_of_another_type_ends_the_actor_unwritten) {
  Kept kept;
  kept.call(1, 1);
  kept.load(
      [](auto root) { fill_state(root, 1, Message<schema::SecondCounterState>::make().any()); });
  BOOST_TEST((kept.why_ended().code == Errc::incompatible));
  BOOST_TEST(kept.counter.carried_out.empty());
  (void)kept.asked<schema::LoadState>();
}

BOOST_AUTO_TEST_CASE(what_cannot_be_called_once_is_refused) {
  Kept kept;
  kept.begin();
  kept.request(once(CallId{"me", 1}, Message<schema::Nudge>::make()).any());
  kept.request(once(CallId{"", 1}, add(1)).any());
  kept.request(once(CallId{std::string(257, 'x'), 1}, add(1)).any());
  BOOST_TEST(kept.answers() == "1=invalid_argument 2=invalid_argument 3=invalid_argument");
}

// Goal: nobody can end the actor with a call that no library of ours makes. What is in it is its
// author's to read, so only the bytes around that are changed here.
BOOST_AUTO_TEST_CASE(a_malformed_call_is_refused_and_harms_nobody) {
  Kept kept;
  kept.begin();
  const AnyMessage sound = once(CallId{"customer", 1}, add(1)).any();
  const std::size_t around = sound.words.bytes() - add(1).words().bytes();
  for (std::size_t byte = 0; byte < around; ++byte) {
    const auto words = sound.words.as_bytes();
    std::vector<std::byte> bytes(words.begin(), words.end());
    bytes[byte] ^= std::byte{0x5a};
    const std::size_t asks = kept.host.asks.size();
    kept.request({sound.type, Words::copy(bytes)});
    if (kept.host.asks.size() > asks) kept.saved();
  }
  BOOST_TEST(!kept.host.stopped);
  BOOST_TEST(kept.host.answers.size() == around);
  BOOST_TEST(kept.answers().find("corruption") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

#include "runtime/actor/kept_replies.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/puppet.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace kept_replies_test {

constexpr Instant start{1h};

/// What is done with a call: "new", or why not, or the value of its reply.
std::string found(const KeptReplies& replies, const CallId& call, Instant now = start) {
  const auto reply = replies.find(call, now);
  if (!reply) return std::string(to_string(reply.error().code));
  if (!*reply) return "new";
  return std::to_string(value_of(Note::from((*reply)->message).value()));
}
std::vector<CallId> add(KeptReplies& replies, const CallId& call, Instant now = start) {
  return replies.add(call, {note(call.number).any(), 1}, now);
}

}  // namespace kept_replies_test

BOOST_AUTO_TEST_SUITE(kept_replies_test)

BOOST_AUTO_TEST_CASE(a_call_is_new_until_it_was_answered) {
  KeptReplies replies({});
  BOOST_TEST(found(replies, {"a", 7}) == "new");
  BOOST_TEST(add(replies, {"a", 7}).empty());
  BOOST_TEST(found(replies, {"a", 7}) == "7");
  BOOST_TEST(found(replies, {"b", 7}) == "new");
  BOOST_TEST(found(replies, {"a", 0}) == "new");
}

// Goal: what is forgotten is never carried out again: it is refused.
BOOST_AUTO_TEST_CASE(a_callers_older_calls_are_forgotten_and_then_refused) {
  KeptReplies replies({.window = 3});
  for (const std::uint64_t number : {1, 3, 2}) BOOST_TEST(add(replies, {"a", number}).empty());
  const auto gone = add(replies, {"a", 5});
  BOOST_TEST((gone == std::vector<CallId>{{"a", 1}, {"a", 2}}));
  BOOST_TEST(found(replies, {"a", 1}) == "stale");
  BOOST_TEST(found(replies, {"a", 2}) == "stale");
  BOOST_TEST(found(replies, {"a", 3}) == "3");
  BOOST_TEST(found(replies, {"a", 4}) == "new");
  BOOST_TEST(found(replies, {"a", 0}) == "stale");
}

BOOST_AUTO_TEST_CASE(a_caller_is_forgotten_for_another_only_when_it_was_silent_for_long) {
  KeptReplies replies({.callers_max = 2, .silence = 10min});
  add(replies, {"a", 1});
  add(replies, {"b", 1}, start + 1min);
  add(replies, {"b", 2}, start + 1min);
  BOOST_TEST(found(replies, {"c", 1}, start + 9min) == "overloaded");
  BOOST_TEST(found(replies, {"a", 2}, start + 9min) == "new");
  BOOST_TEST(found(replies, {"c", 1}, start + 12min) == "new");
  BOOST_TEST((add(replies, {"c", 1}, start + 12min) == std::vector<CallId>{{"a", 1}}));
  BOOST_TEST((add(replies, {"d", 1}, start + 12min) == std::vector<CallId>{{"b", 1}, {"b", 2}}));
  BOOST_TEST(replies.callers() == 2u);
  BOOST_TEST(found(replies, {"c", 1}, start + 12min) == "1");
}

BOOST_AUTO_TEST_CASE(the_bytes_of_all_replies_are_bounded) {
  KeptReplies replies({.window = 100, .silence = 10min, .bytes_max = 1000});
  std::uint64_t number = 0;
  while (found(replies, {"a", number + 1}) == "new") add(replies, {"a", ++number});
  BOOST_TEST(number > 3u);
  BOOST_TEST(number < 8u);
  BOOST_TEST(found(replies, {"b", 1}) == "overloaded");
  BOOST_TEST(found(replies, {"b", 1}, start + 10min) == "new");
  BOOST_TEST(add(replies, {"b", 1}, start + 10min).size() == number);
}

BOOST_AUTO_TEST_CASE(what_can_be_nobodys_name_is_refused) {
  const KeptReplies replies({});
  BOOST_TEST(found(replies, {"", 1}) == "invalid_argument");
  BOOST_TEST(found(replies, {std::string(caller_bytes_max, 'x'), 1}) == "new");
  BOOST_TEST(found(replies, {std::string(caller_bytes_max + 1, 'x'), 1}) == "invalid_argument");
}

BOOST_AUTO_TEST_CASE(an_actor_numbers_its_calls_under_a_name_of_its_own) {
  CallNumbers mine(ActorAddress{NodeId{1, 2}, 3, 4}), other(ActorAddress{NodeId{1, 3}, 3, 4});
  const CallId first = mine.next(), second = mine.next();
  BOOST_TEST(first.caller == second.caller);
  BOOST_TEST(first.number + 1 == second.number);
  BOOST_TEST(other.next().caller != first.caller);
  BOOST_TEST((CallNumbers("till", 41).next() == CallId{"till", 42}));
}

BOOST_AUTO_TEST_SUITE_END()

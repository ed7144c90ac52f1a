#include "storage/actor_states.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

namespace actor_states_test {

runtime::Words word(std::uint64_t number) {
  return runtime::Words::copy(std::as_bytes(std::span(&number, 1)));
}

}  // namespace actor_states_test

BOOST_AUTO_TEST_SUITE(actor_states_test)

BOOST_FIXTURE_TEST_CASE(state_and_replies_outlive_the_store, tests::TempDir) {
  {
    const auto database = Database::open(path(), OpenMode::create);
    ActorStates states(**database);
    const StoredReply one[] = {{"call 1", word(10)}};
    const StoredReply two[] = {{std::string("\0\xff", 2), word(20)}, {"call 3", word(30)}};
    BOOST_REQUIRE(bool(states.put("counter", word(1), one)));
    BOOST_REQUIRE(bool(states.put("counter", word(2), two)));
    BOOST_REQUIRE(bool(states.put("counter2", word(9), {})));
  }
  const auto database = Database::open(path(), OpenMode::read_only);
  const auto found = ActorStates(**database).get("counter");
  BOOST_REQUIRE(bool(found));
  BOOST_TEST(found->state.data()[0] == 2u);
  BOOST_REQUIRE(found->replies.size() == 3u);
  BOOST_TEST(found->replies[0].call == std::string("\0\xff", 2));
  BOOST_TEST(found->replies[1].call == "call 1");
  BOOST_TEST(found->replies[1].reply.data()[0] == 10u);
}

BOOST_FIXTURE_TEST_CASE(forgotten_replies_and_removed_actors_are_gone, tests::TempDir) {
  const auto database = Database::open(path(), OpenMode::create);
  ActorStates states(**database);
  const StoredReply replies[] = {{"1", word(10)}, {"2", word(20)}};
  const std::string forgotten[] = {"1"};
  BOOST_REQUIRE(bool(states.put("a", word(1), replies)));
  BOOST_REQUIRE(bool(states.put("a", word(2), {}, forgotten)));
  BOOST_REQUIRE(states.get("a")->replies.size() == 1u);
  BOOST_TEST(states.get("a")->replies[0].call == "2");
  BOOST_REQUIRE(bool(states.remove("a")));
  BOOST_TEST((states.get("a").error().code == Errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_a_name_is_refused, tests::TempDir) {
  const auto database = Database::open(path(), OpenMode::create);
  ActorStates states(**database);
  const StoredReply nameless[] = {{"", word(1)}};
  for (const std::string& name : {std::string(), std::string("a\0b", 3)})
    BOOST_TEST((states.put(name, word(1), {}).error().code == Errc::invalid_argument));
  BOOST_TEST((states.put("a", word(1), nameless).error().code == Errc::invalid_argument));
  BOOST_TEST((states.get("a").error().code == Errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(a_damaged_state_is_corruption, tests::TempDir) {
  const auto database = Database::open(path(), OpenMode::create);
  BOOST_REQUIRE(bool(ActorStates(**database).put("a", word(1), {})));
  Batch batch;
  batch.put(Table::states, std::string("a\0", 2), "not sealed");
  BOOST_REQUIRE(bool((*database)->write(batch)));
  BOOST_TEST((ActorStates(**database).get("a").error().code == Errc::corruption));
}

BOOST_AUTO_TEST_SUITE_END()

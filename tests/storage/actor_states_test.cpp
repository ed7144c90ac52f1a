#include "storage/actor_states.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

namespace actor_states_test {

runtime::Words word(std::uint64_t number) {
  return runtime::Words::copy(std::as_bytes(std::span(&number, 1)));
}

Status put(ActorStates& states, const std::string& name, std::uint64_t state,
           std::vector<StoredReply> replies = {}, std::vector<std::string> forgotten = {}) {
  const StateChange change{name, word(state), std::move(replies), std::move(forgotten)};
  return states.put({&change, 1});
}

}  // namespace actor_states_test

BOOST_AUTO_TEST_SUITE(actor_states_test)

BOOST_FIXTURE_TEST_CASE(state_and_replies_outlive_the_store, tests::TempDir) {
  {
    const auto database = Database::open(path(), OpenMode::create);
    ActorStates states(**database);
    BOOST_REQUIRE(bool(put(states, "counter", 1, {{"call 1", word(10)}})));
    BOOST_REQUIRE(bool(
        put(states, "counter", 2, {{std::string("\0\xff", 2), word(20)}, {"call 3", word(30)}})));
    BOOST_REQUIRE(bool(put(states, "counter2", 9)));
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
  BOOST_REQUIRE(bool(put(states, "a", 1, {{"1", word(10)}, {"2", word(20)}})));
  BOOST_REQUIRE(bool(put(states, "a", 2, {}, {"1"})));
  BOOST_REQUIRE(states.get("a")->replies.size() == 1u);
  BOOST_TEST(states.get("a")->replies[0].call == "2");
  BOOST_REQUIRE(bool(states.remove("a")));
  BOOST_TEST((states.get("a").error().code == Errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_a_name_is_refused, tests::TempDir) {
  const auto database = Database::open(path(), OpenMode::create);
  ActorStates states(**database);
  for (const std::string& name : {std::string(), std::string("a\0b", 3)})
    BOOST_TEST((put(states, name, 1).error().code == Errc::invalid_argument));
  BOOST_TEST((put(states, "a", 1, {{"", word(1)}}).error().code == Errc::invalid_argument));
  BOOST_TEST((states.get("a").error().code == Errc::not_found));
}

// Goal: several actors share a wait for the disk, and what cannot be stored of one stores none.
BOOST_FIXTURE_TEST_CASE(changes_of_several_actors_are_made_together_or_not_at_all, tests::TempDir) {
  const auto database = Database::open(path(), OpenMode::create);
  ActorStates states(**database);
  const StateChange good[] = {{"a", word(1), {{"1", word(10)}}},
                              {"b", word(2), {}},
                              {"a", word(3), {{"2", word(20)}}, {"1"}}};
  BOOST_REQUIRE(bool(states.put(good)));
  BOOST_TEST(states.get("a")->state.data()[0] == 3u);
  BOOST_REQUIRE(states.get("a")->replies.size() == 1u);
  BOOST_TEST(states.get("a")->replies[0].call == "2");
  BOOST_TEST(states.get("b")->state.data()[0] == 2u);
  const StateChange bad[] = {{"a", word(9), {}}, {"", word(9), {}}};
  BOOST_TEST(!states.put(bad));
  BOOST_TEST(states.get("a")->state.data()[0] == 3u);
}

BOOST_FIXTURE_TEST_CASE(a_damaged_state_is_corruption, tests::TempDir) {
  const auto database = Database::open(path(), OpenMode::create);
  ActorStates states(**database);
  BOOST_REQUIRE(bool(put(states, "a", 1)));
  Batch batch;
  batch.put(Table::states, std::string("a\0", 2), "not sealed");
  BOOST_REQUIRE(bool((*database)->write(batch)));
  BOOST_TEST((ActorStates(**database).get("a").error().code == Errc::corruption));
}

BOOST_AUTO_TEST_SUITE_END()

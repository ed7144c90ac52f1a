#include "actors/system/memory_states.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using actors::MemoryStates;

namespace memory_states_test {

runtime::Words word(std::uint64_t number) {
  return runtime::Words::copy(std::as_bytes(std::span(&number, 1)));
}

}  // namespace memory_states_test

BOOST_AUTO_TEST_SUITE(memory_states_test)

BOOST_AUTO_TEST_CASE(it_keeps_what_a_store_would) {
  MemoryStates states;
  BOOST_TEST((states.get("a").error().code == Errc::not_found));
  const storage::StateChange changes[] = {{"a", word(1), {{"2", word(20)}, {"1", word(10)}}},
                                          {"b", word(9), {}},
                                          {"a", word(3), {{"3", word(30)}}, {"1"}}};
  BOOST_REQUIRE(bool(states.put(changes)));
  const auto found = states.get("a");
  BOOST_TEST(found->state.data()[0] == 3u);
  BOOST_REQUIRE(found->replies.size() == 2u);
  BOOST_TEST(found->replies[0].call == "2");
  BOOST_TEST(found->replies[1].call == "3");
  BOOST_TEST(states.get("b")->state.data()[0] == 9u);
}

BOOST_AUTO_TEST_SUITE_END()

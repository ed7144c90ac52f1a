#include "runtime/simulation/roster.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/actor/failure.hpp"
#include "runtime/simulation/journal.hpp"
#include "runtime/simulation/traffic.hpp"

using namespace slime;
using namespace slime::runtime;

namespace roster_test {

struct Town {
  Journal journal;
  Roster roster{traffic, journal};
  Traffic traffic{1, {}, roster};
  const NodeId id{1, 2};
  SimulatedNode& node = roster.add(id, "north", {});
};

}  // namespace roster_test

BOOST_FIXTURE_TEST_SUITE(roster_test, Town)

BOOST_AUTO_TEST_CASE(a_name_used_again_gets_the_next_incarnation) {
  BOOST_TEST(node.incarnation == 1u);
  BOOST_TEST(roster.add(NodeId{3, 4}, "north", {}).incarnation == 2u);
  BOOST_TEST(roster.add(NodeId{5, 6}, "south", {}).incarnation == 1u);
}

BOOST_AUTO_TEST_CASE(a_node_that_comes_again_is_reached_in_its_new_life_only) {
  const ActorAddress before = roster.reserve(0, 3).address;
  BOOST_TEST(roster.add(id, "north", {}).incarnation == 2u);
  BOOST_TEST(roster.find_node(id) == 1u);
  BOOST_TEST(roster.resolve(before) == Roster::none);
  BOOST_TEST(roster.resolve({id, 2, 3}) == roster.reserve(1, 3).index);
}

BOOST_AUTO_TEST_CASE(free_numbers_follow_the_fixed_ones) {
  BOOST_TEST(roster.reserve(0, 3).address.number == 3u);
  BOOST_TEST(roster.reserve(0, 0).address.number == Roster::first_free_number);
  BOOST_TEST(roster.reserve(0, 0).address.number == Roster::first_free_number + 1);
}

BOOST_AUTO_TEST_CASE(a_fixed_number_leads_to_one_place_before_and_after_its_actor_came) {
  const ActorAddress address{id, 1, 2};
  const std::uint32_t early = roster.resolve(address);
  BOOST_TEST(!roster.find(address));
  Cell& cell = roster.reserve(0, 2);
  cell.state = Cell::State::live;
  BOOST_TEST(cell.index == early);
  BOOST_TEST(roster.find(address) == &cell);
}

BOOST_AUTO_TEST_CASE(what_was_never_there_leads_nowhere) {
  BOOST_TEST(roster.resolve(ActorAddress{NodeId{8, 8}, 1, 2}) == Roster::none);
  BOOST_TEST(roster.resolve(ActorAddress{id, 2, 2}) == Roster::none);
  BOOST_TEST(roster.resolve(ActorAddress{id, 1, 99}) == Roster::none);
  BOOST_TEST(roster.resolve(ActorAddress{}) == Roster::none);
  BOOST_TEST(roster.find_node(NodeId{8, 8}) == Roster::none);
}

BOOST_AUTO_TEST_CASE(a_death_is_told_with_who_where_and_why) {
  Cell& cell = roster.reserve(0, 0);
  cell.type = "painter";
  cell.state = Cell::State::ended;
  cell.ended_at = simulation_start + std::chrono::seconds(2);
  BOOST_TEST(roster.down_message(cell).type == 0u);
  cell.end = Error{Errc::internal, "out of paint"};
  const Error asked = failure_of(roster.ask_failure(cell)).value();
  const Error down = failure_of(roster.down_message(cell)).value();
  BOOST_TEST((asked.code == Errc::unavailable));
  BOOST_TEST((down.code == Errc::internal));
  const std::vector<std::string> parts{"painter", to_string(cell.address), "north", "2.0",
                                       "out of paint"};
  for (const std::string& part : parts) {
    BOOST_TEST(asked.context.find(part) != std::string::npos, part << " in " << asked.context);
    BOOST_TEST(down.context.find(part) != std::string::npos, part << " in " << down.context);
  }
}

BOOST_AUTO_TEST_CASE(statuses_list_whoever_lived) {
  roster.reserve(0, 5);
  Cell& dead = roster.reserve(0, 0);
  dead.state = Cell::State::ended;
  dead.end = Error{Errc::internal, "out of paint"};
  roster.reserve(0, 1).state = Cell::State::live;
  const auto statuses = roster.statuses(0);
  BOOST_REQUIRE(statuses.size() == 2u);
  BOOST_TEST(statuses[0].address.number == 1u);
  BOOST_TEST(statuses[0].alive);
  BOOST_TEST(!statuses[1].alive);
  BOOST_TEST(statuses[1].end->context == "out of paint");
}

BOOST_AUTO_TEST_SUITE_END()

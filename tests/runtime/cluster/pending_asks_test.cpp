#include "runtime/cluster/pending_asks.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::runtime;
using namespace std::chrono_literals;

namespace pending_asks_test {

PendingAsks::Ask ask(std::uint64_t number) {
  return {number, ActorAddress{{1, 2}, 3, 4}, 1s, {}};
}

}  // namespace pending_asks_test

BOOST_AUTO_TEST_SUITE(pending_asks_test)

BOOST_AUTO_TEST_CASE(an_ask_is_taken_once) {
  PendingAsks asks;
  asks.add(7, ask(1));
  BOOST_TEST(asks.take(7)->ask == 1u);
  BOOST_TEST(!asks.take(7));
  BOOST_TEST(!asks.keep_late(7));
}

BOOST_AUTO_TEST_CASE(a_late_ask_still_gets_its_answer) {
  PendingAsks asks;
  asks.add(7, ask(1));
  BOOST_TEST(asks.keep_late(7)->ask == 1u);
  BOOST_TEST(asks.take(7)->ask == 1u);
}

// Goal: asking for ever one who lives and never answers takes no more memory with each try.
BOOST_AUTO_TEST_CASE(only_so_many_late_asks_are_kept_and_the_newest_of_them) {
  PendingAsks asks;
  asks.add(0, ask(0));
  constexpr std::uint64_t tries = 10 * PendingAsks::late_max;
  for (std::uint64_t id = 1; id <= tries; ++id) {
    asks.add(id, ask(id));
    asks.keep_late(id);
  }
  BOOST_TEST(asks.size() == PendingAsks::late_max + 1);
  BOOST_TEST(asks.take(tries)->ask == tries);
  BOOST_TEST(!asks.take(1));
  // Not late, however old.
  BOOST_TEST(asks.take(0).has_value());
}

BOOST_AUTO_TEST_CASE(forgetting_all_tells_how_many_still_waited) {
  PendingAsks asks;
  for (std::uint64_t id = 1; id <= 3; ++id) asks.add(id, ask(id));
  asks.keep_late(2);
  BOOST_TEST(asks.clear() == 2u);
  BOOST_TEST(asks.size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

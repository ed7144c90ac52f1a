#include "runtime/cluster/deadlines.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::runtime;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(deadlines_test)

BOOST_AUTO_TEST_CASE(entries_come_out_in_order_and_not_before_their_time) {
  Deadlines deadlines;
  const Instant start{};
  deadlines.add(start + 2s, {Deadlines::Due::What::timer, 2});
  deadlines.add(start + 1s, {Deadlines::Due::What::ask, 1});
  BOOST_TEST(!deadlines.take(start));
  BOOST_TEST(deadlines.take(start + 2s)->id == 1u);
  BOOST_TEST(deadlines.take(start + 2s)->id == 2u);
  BOOST_TEST(!deadlines.take(start + 2s));
}

BOOST_AUTO_TEST_CASE(a_removed_entry_never_comes_out) {
  Deadlines deadlines;
  deadlines.remove(deadlines.add(Instant{}, {Deadlines::Due::What::ask, 1}));
  BOOST_TEST(!deadlines.take(Instant{} + 1h));
}

BOOST_AUTO_TEST_CASE(the_clock_is_asked_only_for_an_earlier_wake_up) {
  Deadlines deadlines;
  BOOST_TEST(!deadlines.next_wake(std::nullopt));
  deadlines.add(Instant{} + 2s, {Deadlines::Due::What::ask, 1});
  BOOST_TEST((deadlines.next_wake(std::nullopt) == Instant{} + 2s));
  BOOST_TEST(!deadlines.next_wake(Instant{} + 2s));
  BOOST_TEST(!deadlines.next_wake(Instant{} + 1s));
  BOOST_TEST((deadlines.next_wake(Instant{} + 3s) == Instant{} + 2s));
}

BOOST_AUTO_TEST_SUITE_END()

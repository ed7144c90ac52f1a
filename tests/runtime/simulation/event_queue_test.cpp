#include "runtime/simulation/event_queue.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::runtime;

namespace event_queue_test {

struct Queue : EventQueue {
  Slot put(int time, std::uint32_t tie, std::uint64_t id) {
    return push(Instant(Duration(time)), tie, Event{.id = id});
  }
  std::vector<std::uint64_t> drain() {
    std::vector<std::uint64_t> ids;
    while (top()) ids.push_back(take(pop().slot).id);
    return ids;
  }
};

}  // namespace event_queue_test

BOOST_FIXTURE_TEST_SUITE(event_queue_test, Queue)

BOOST_AUTO_TEST_CASE(events_come_by_time_then_tie_then_insertion) {
  put(2, 0, 5);
  put(1, 7, 3);
  put(1, 7, 4);
  put(1, 2, 2);
  put(0, 9, 1);
  const std::vector<std::uint64_t> expected{1, 2, 3, 4, 5};
  BOOST_TEST(drain() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_cancelled_event_does_not_come) {
  put(1, 0, 1);
  const Slot slot = put(2, 0, 2);
  put(3, 0, 3);
  cancel(slot);
  BOOST_TEST(size() == 2u);
  const std::vector<std::uint64_t> expected{1, 3};
  BOOST_TEST(drain() == expected, boost::test_tools::per_element());
  BOOST_TEST(size() == 0u);
}

BOOST_AUTO_TEST_CASE(an_event_put_back_keeps_its_place) {
  put(1, 5, 1);
  const Entry aside = pop();
  put(1, 5, 2);
  put(0, 5, 3);
  put_back(aside);
  const std::vector<std::uint64_t> expected{3, 1, 2};
  BOOST_TEST(drain() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_event_cancelled_while_aside_does_not_come_back) {
  const Slot slot = put(1, 0, 1);
  put(2, 0, 2);
  const Entry aside = pop();
  cancel(slot);
  BOOST_TEST(size() == 1u);
  put_back(aside);
  const std::vector<std::uint64_t> expected{2};
  BOOST_TEST(drain() == expected, boost::test_tools::per_element());
  BOOST_TEST(size() == 0u);
}

// Goal: cancelled events neither fill the queue nor take others with them when it is compacted.
BOOST_AUTO_TEST_CASE(many_cancelled_events_leave_the_others_in_order) {
  Random random(3);
  std::vector<Slot> doomed;
  std::vector<std::uint64_t> expected;
  for (int i = 0; i < 20000; ++i) {
    if (random.below(10) == 0) {
      put(i, 0, static_cast<std::uint64_t>(i));
      expected.push_back(static_cast<std::uint64_t>(i));
    } else {
      doomed.push_back(put(i, 0, static_cast<std::uint64_t>(i)));
    }
  }
  for (const Slot slot : doomed) cancel(slot);
  BOOST_TEST(size() == expected.size());
  BOOST_TEST(drain() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/chaos/fault_schedule.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace fault_schedule_test {

PlannedFault planned(std::size_t number, std::uint64_t iteration, bool saving) {
  return {.number = number,
          .fault = &fault_kinds()[0],
          .target = &fault_targets()[0],
          .iteration = iteration,
          .saving = saving,
          .delay = 10ms};
}

constexpr Instant start{1h};

}  // namespace fault_schedule_test

using namespace fault_schedule_test;

BOOST_AUTO_TEST_SUITE(fault_schedule_test)

BOOST_AUTO_TEST_CASE(a_fault_is_due_its_delay_after_its_iteration_until_it_is_done) {
  FaultSchedule schedule({planned(1, 5, false), planned(2, 6, false)});
  BOOST_TEST(!schedule.due(start, 4, false));
  BOOST_TEST(!schedule.due(start + 1s, 5, false));
  BOOST_TEST(!schedule.due(start + 1009ms, 9, false));
  // A rollback takes nothing back.
  const PlannedFault* fault = schedule.due(start + 1010ms, 0, false);
  BOOST_REQUIRE(fault);
  BOOST_TEST(fault->number == 1U);
  BOOST_TEST((schedule.due_since() == start + 1010ms));
  BOOST_TEST(schedule.due(start + 2s, 9, false) == fault);
  schedule.done();
  BOOST_TEST(schedule.injected() == 1U);
  BOOST_TEST(!schedule.due(start + 2s, 9, false));
  BOOST_TEST(schedule.due(start + 2010ms, 9, false)->number == 2U);
  schedule.done();
  BOOST_TEST(!schedule.due(start + 1h, 100, false));
}

BOOST_AUTO_TEST_CASE(a_fault_of_saving_waits_for_a_save_after_its_iteration) {
  FaultSchedule schedule({planned(1, 5, true)});
  BOOST_TEST(!schedule.looks_for_saves());
  BOOST_TEST(!schedule.due(start, 4, true));
  BOOST_TEST(!schedule.due(start + 1s, 5, false));
  BOOST_TEST(schedule.looks_for_saves());
  BOOST_TEST(!schedule.due(start + 2s, 6, true));
  BOOST_TEST(!schedule.looks_for_saves());
  BOOST_TEST(schedule.due(start + 2010ms, 6, false));
}

BOOST_AUTO_TEST_CASE(a_save_that_does_not_come_is_not_waited_for_for_ever) {
  FaultSchedule schedule({planned(1, 5, true)});
  BOOST_TEST(!schedule.due(start, 5, false));
  BOOST_TEST(!schedule.due(start + 19s, 50, false));
  BOOST_TEST(!schedule.due(start + 20s, 50, false));
  BOOST_TEST(schedule.due(start + 20s + 10ms, 50, false));
}

BOOST_AUTO_TEST_SUITE_END()

// What a worker may hold before it has sealed the group before.
#include <boost/test/unit_test.hpp>

#include "trainer/sync/work_ledger.hpp"

using namespace slime;
using namespace slime::trainer;

namespace work_ledger_ahead_test {

// Iterations of a single block, which is worker 0's; it holds those of iterations 0 and 1.
struct Ahead {
  explicit Ahead(bool committed = false)
      : ledger({.samples = 64, .batch = 16, .block = 16, .epochs = 1}, 0, committed, 1,
               {.slack = [](WorkerId) { return 1U; },
                .pace = [](WorkerId) { return WorkerPace{1.0}; },
                .reassign = true,
                .overdue_factor = 2}) {
    ledger.join(first);
    ledger.join(second);
    ledger.set_shares({{first, 1}});
  }
  Work next(WorkerId worker, bool ahead, double at_s = 0) {
    return ledger.next(worker, Instant{} + from_seconds(at_s), ahead);
  }
  void hold_two() {
    BOOST_TEST(next(first, false).iteration == 0u);
    const Work ahead = next(first, true);
    BOOST_TEST((ahead.kind == Work::Kind::compute));
    BOOST_TEST(ahead.iteration == 1u);
    BOOST_TEST(ahead.group == 0u);
  }

  static constexpr WorkerId first{0}, second{1};
  WorkLedger ledger;
};

}  // namespace work_ledger_ahead_test

BOOST_AUTO_TEST_SUITE(work_ledger_ahead_test)

BOOST_FIXTURE_TEST_CASE(of_two_groups_each_is_sealed_on_its_own, Ahead) {
  hold_two();
  BOOST_TEST((next(first, true).kind == Work::Kind::seal));
  BOOST_TEST((next(first, true).kind == Work::Kind::wait));
  const auto older = ledger.seal(first, 0, {0});
  BOOST_REQUIRE(older.has_value());
  // Of iteration 2 nothing may be leased before iteration 0 is applied.
  BOOST_TEST((next(first, true).kind == Work::Kind::wait));
  ledger.complete(older->id);
  const Work third = next(first, true);
  BOOST_TEST(third.iteration == 2u);
  BOOST_TEST(bool(ledger.seal(first, 2, third.blocks)));
  BOOST_TEST(bool(ledger.seal(first, 1, {0})));
  BOOST_TEST(!ledger.holds(first));
}

BOOST_FIXTURE_TEST_CASE(who_waits_for_a_group_ahead_gets_it_once_it_may, Ahead) {
  ledger.pause_at(1);
  BOOST_TEST((next(first, false).kind == Work::Kind::compute));
  BOOST_TEST((next(first, true).kind == Work::Kind::seal));
  BOOST_TEST((next(first, true).kind == Work::Kind::wait));
  BOOST_TEST((next(first, false).kind == Work::Kind::seal));
  ledger.pause_at(4);
  BOOST_TEST(next(first, true).iteration == 1u);
}

BOOST_AUTO_TEST_CASE(under_commits_there_is_no_group_ahead) {
  Ahead stage(true);
  BOOST_TEST((stage.next(Ahead::first, false).kind == Work::Kind::compute));
  BOOST_TEST((stage.next(Ahead::first, true).kind == Work::Kind::seal));
  BOOST_TEST((stage.next(Ahead::first, true).kind == Work::Kind::wait));
}

BOOST_FIXTURE_TEST_CASE(both_groups_of_a_dead_worker_are_free_again, Ahead) {
  hold_two();
  ledger.leave(first);
  BOOST_TEST(next(second, false).iteration == 0u);
  BOOST_TEST(next(second, true).iteration == 1u);
}

// Goal: nobody has to be idle for it. Method: the one that is left has something to compute.
BOOST_FIXTURE_TEST_CASE(a_dead_workers_group_is_issued_ahead, Ahead) {
  const Work work = next(first, false);
  const auto group = ledger.seal(first, 0, work.blocks);
  ledger.set_shares({{second, 1}});
  BOOST_TEST(next(second, false).iteration == 1u);
  ledger.leave(first);
  const Work again = next(second, true);
  BOOST_TEST(again.group == group->id);
  BOOST_TEST((again.blocks == group->blocks));
  // It is sealed, so there is room for one that is not.
  ledger.complete(again.group);
  BOOST_TEST(next(second, true).iteration == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_refused_seal_leaves_the_other_group_alone, Ahead) {
  hold_two();
  BOOST_TEST(next(second, false, 3).iteration == 0u);
  BOOST_TEST(bool(ledger.seal(second, 0, {0})));
  BOOST_TEST(!ledger.seal(first, 0, {0}));
  BOOST_TEST(bool(ledger.seal(first, 1, {0})));
}

BOOST_FIXTURE_TEST_CASE(a_group_ahead_is_overdue_only_after_the_one_before, Ahead) {
  hold_two();
  BOOST_TEST(next(second, false, 2.5).iteration == 0u);
  BOOST_TEST(bool(ledger.seal(second, 0, {0})));
  BOOST_TEST((next(second, false, 2.5).kind == Work::Kind::wait));
  const Work overdue = next(second, false, 4.5);
  BOOST_TEST((overdue.kind == Work::Kind::compute));
  BOOST_TEST(overdue.iteration == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

// Fast reassignment in lock step: how much is leased at a time, and who is helped.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "trainer/sync/work_ledger.hpp"

using namespace slime;
using namespace slime::trainer;

namespace work_ledger_help_test {

/// One iteration of blocks of two samples. Each lease is granted when the one before it begins, a
/// second after that one was granted.
struct Helping {
  Helping(std::map<WorkerId, std::uint32_t> shares, std::map<WorkerId, double> block_seconds,
          bool committed = true, bool reassign = true,
          std::function<bool(WorkerId, WorkerId)> may_help = {})
      : ledger(plan(shares), 0, committed, 1,
               {.slack = [](WorkerId) { return 0U; },
                .pace = [block_seconds](
                            WorkerId worker) { return WorkerPace{block_seconds.at(worker)}; },
                .reassign = reassign,
                .may_help = may_help}) {
    for (const auto& [worker, share] : shares) ledger.join(worker);
    ledger.set_shares(shares);
  }
  static WorkPlan plan(const std::map<WorkerId, std::uint32_t>& shares) {
    std::uint32_t blocks = 0;
    for (const auto& [worker, share] : shares) blocks += share;
    return {.samples = 2 * blocks, .batch = 2 * blocks, .block = 2, .epochs = 1};
  }
  Work next(WorkerId worker) { return ledger.next(worker, now += from_seconds(1)); }
  /// Sizes of the worker's next leases, at most so many.
  std::vector<std::size_t> leases(WorkerId worker, std::size_t most = 100) {
    std::vector<std::size_t> sizes;
    while (sizes.size() < most) {
      const Work work = next(worker);
      if (work.kind != Work::Kind::compute) break;
      sizes.push_back(work.blocks.size());
    }
    return sizes;
  }

  Instant now{};
  WorkLedger ledger;
};

constexpr WorkerId helped{0}, helper{1};

}  // namespace work_ledger_help_test

BOOST_AUTO_TEST_SUITE(work_ledger_help_test)

BOOST_AUTO_TEST_CASE(long_parts_end_in_single_blocks_where_all_wait_for_the_last) {
  using Sizes = std::vector<std::size_t>;
  const auto sizes = [](std::uint32_t part, bool committed, bool reassign) {
    return Helping({{helped, part}}, {{helped, 1}}, committed, reassign).leases(helped);
  };
  BOOST_TEST((sizes(24, true, true) == Sizes{8, 6, 4, 2, 2, 1, 1}));
  BOOST_TEST((sizes(9, true, true) == Sizes{3, 2, 2, 1, 1}));
  BOOST_TEST((sizes(8, true, true) == Sizes{8}));
  BOOST_TEST((sizes(24, false, true) == Sizes{12, 6, 6}));
  BOOST_TEST((sizes(24, true, false) == Sizes{12, 6, 6}));
}

// Goal: what is computed does not count as still to do, neither for who is helped nor for who
// helps. Method: both have had leases of twelve blocks. The one has its newest of one block and one
// left, which take it 2 s; the other its newest of one block, and would need 1.8 s or 2.4 s with
// another.
BOOST_AUTO_TEST_CASE(help_is_judged_by_the_newest_leases) {
  for (const auto& [block_s, kind] :
       {std::pair(0.9, Work::Kind::compute), std::pair(1.2, Work::Kind::seal)}) {
    Helping both({{helped, 12}, {helper, 12}}, {{helped, 1}, {helper, block_s}});
    BOOST_TEST((both.leases(helped, 5) == std::vector<std::size_t>{4, 3, 2, 1, 1}));
    BOOST_TEST(both.leases(helper, 6).size() == 6u);
    BOOST_TEST((both.next(helper).kind == kind));
  }
}

// Goal: whoever stands still keeps nobody waiting for what it has not begun, down to the last
// block, though by its own estimate it would be the quicker one. Method: it has a third of its part
// and is overdue with that; then it comes back.
BOOST_AUTO_TEST_CASE(the_part_of_one_who_is_late_is_anybodys) {
  using Sizes = std::vector<std::size_t>;
  for (const bool reassign : {true, false}) {
    Helping both({{helped, 12}, {helper, 1}}, {{helped, 1}, {helper, 20}}, true, reassign);
    const Work held = both.next(helped);
    BOOST_TEST(held.blocks.size() == (reassign ? 4u : 6u));
    BOOST_TEST(both.leases(helper).size() == 1u);
    BOOST_REQUIRE(bool(both.ledger.seal(helper, 0, {12})));
    both.now += from_seconds(100);
    // Half of the part at a time, then the overdue blocks one by one.
    Sizes taken;
    for (Work work = both.next(helper); work.kind == Work::Kind::compute;
         work = both.next(helper)) {
      taken.push_back(work.blocks.size());
      BOOST_REQUIRE(bool(both.ledger.seal(helper, 0, work.blocks)));
    }
    BOOST_TEST((taken == (reassign ? Sizes{4, 2, 1, 1, 1, 1, 1, 1} : Sizes{})));
    BOOST_TEST(bool(both.ledger.seal(helped, 0, held.blocks)) == !reassign);
  }
}

// Method: one of two is late with the first iteration when the second and third begin, and has told
// of itself when the fourth does.
BOOST_AUTO_TEST_CASE(who_is_late_has_no_part_of_what_begins_meanwhile) {
  const WorkPlan plan{.samples = 32, .batch = 8, .block = 1, .epochs = 1};
  WorkLedger ledger(
      plan, 0, false, 1,
      {.slack = [](WorkerId) { return 3U; }, .pace = [](WorkerId) { return WorkerPace{1.0}; }});
  Instant now{};
  for (const WorkerId worker : {helped, helper}) ledger.join(worker);
  ledger.set_shares({{helped, 4}, {helper, 4}});
  const Work stuck = ledger.next(helped, now);
  const auto part = [&] {
    const Work work = ledger.next(helper, now);
    BOOST_REQUIRE(bool(ledger.seal(helper, work.iteration, work.blocks)));
    return work.blocks.size();
  };
  BOOST_TEST(part() == 4u);
  now += from_seconds(13);
  BOOST_TEST(part() == 8u);
  BOOST_TEST(part() == 8u);
  BOOST_REQUIRE(bool(ledger.seal(helped, 0, stuck.blocks)));
  BOOST_TEST(part() == 4u);
}

// Goal: nobody computes anew what another one is about to, only because that one has to fetch first
// or because its times scatter. Method: one of two holds a block that takes 1 s; when does the
// other get it, too?
BOOST_AUTO_TEST_CASE(a_block_is_overdue_when_its_holder_is_later_than_it_is_wont_to_be) {
  struct Case {
    WorkerPace pace;
    bool by_noise;
    double overdue_s;
  };
  for (const auto& [pace, by_noise, overdue_s] :
       {Case{{.block_s = 1}, true, 3}, Case{{.block_s = 1, .fetch_s = 4}, true, 15},
        Case{{.block_s = 1, .noise = 0.2}, true, 3},
        Case{{.block_s = 1, .noise = 0.6}, true, std::exp(1.8)},
        Case{{.block_s = 1, .noise = 5}, true, 30}, Case{{.block_s = 1, .noise = 5}, false, 3}}) {
    const WorkPlan plan{.samples = 2, .batch = 2, .block = 1, .epochs = 1};
    WorkLedger ledger(plan, 0, false, 1,
                      {.slack = [](WorkerId) { return 0U; },
                       .pace = [&pace](WorkerId) { return pace; },
                       .overdue_by_noise = by_noise});
    for (const WorkerId worker : {helped, helper}) ledger.join(worker);
    ledger.set_shares({{helped, 1}, {helper, 1}});
    BOOST_TEST((ledger.next(helped, {}).kind == Work::Kind::compute));
    BOOST_REQUIRE(bool(ledger.seal(helper, 0, ledger.next(helper, {}).blocks)));
    const auto kind = [&](double seconds) {
      return ledger.next(helper, Instant{} + from_seconds(seconds)).kind;
    };
    BOOST_TEST((kind(overdue_s - 0.01) == Work::Kind::wait));
    BOOST_TEST((kind(overdue_s + 0.01) == Work::Kind::compute));
  }
}

BOOST_AUTO_TEST_SUITE_END()

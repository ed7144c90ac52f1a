// Fast reassignment in lock step: how much is leased at a time, and who is helped.
#include <boost/test/unit_test.hpp>

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
      : ledger(
            plan(shares), 0, committed, 1,
            {.slack = [](WorkerId) { return 0U; },
             .block_seconds = [block_seconds](WorkerId worker) { return block_seconds.at(worker); },
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

// Method: a third one, which may help nobody, is given the four overdue blocks of the one that has
// eight more, and seals them. Those take 8 s; two blocks take the helper 10 s.
BOOST_AUTO_TEST_CASE(what_another_one_has_sealed_is_not_still_to_do) {
  constexpr WorkerId third{2};
  Helping all({{helped, 12}, {helper, 1}, {third, 1}}, {{helped, 1}, {helper, 5}, {third, 1}}, true,
              true, [](WorkerId who, WorkerId) { return who == helper; });
  BOOST_TEST(all.leases(helped, 1).front() == 4u);
  Work work = all.next(third);
  for (int sealed = 0; sealed < 4; ++sealed) {
    BOOST_REQUIRE(bool(all.ledger.seal(third, 0, work.blocks)));
    all.now += from_seconds(100);
    work = all.next(third);
    BOOST_REQUIRE((work.kind == Work::Kind::compute));
  }
  BOOST_REQUIRE(bool(all.ledger.seal(third, 0, work.blocks)));
  BOOST_TEST(all.leases(helper, 1).size() == 1u);
  BOOST_TEST((all.next(helper).kind == Work::Kind::seal));
}

BOOST_AUTO_TEST_SUITE_END()

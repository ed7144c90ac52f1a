#include "trainer/sync/work_ledger.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <deque>
#include <map>
#include <set>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;
namespace data = boost::unit_test::data;

namespace work_ledger_test {

// Drives a ledger as workers, shards and deaths would, and counts how often each block was done.
class Job {
 public:
  Job(std::uint64_t seed, bool committed, std::uint32_t slack, Supply supply = Supply::parts)
      : random_(seed),
        committed_(committed),
        slack_(slack),
        ledger_(plan, 0, committed, 1,
                {.slack = [slack](WorkerId) { return slack; },
                 .pace = [](WorkerId) { return WorkerPace{1.0}; },
                 .reassign = true,
                 .overdue_factor = 2,
                 .supply = supply,
                 .may_help = {}}) {
    for (std::uint32_t worker = 0; worker < 4; ++worker) ledger_.join(WorkerId{worker});
  }

  // True: the job ended. False: nobody could do anything, though it did not.
  bool run() {
    for (int idle = 0; idle < 400; ++idle) {
      now_ += from_seconds(0.5);
      if (step()) idle = 0;
      if (ledger_.frontier() == plan.iterations()) return true;
    }
    return false;
  }

  void check_exactly_once() const {
    for (std::uint64_t k = 0; k < plan.iterations(); ++k)
      for (std::uint32_t block = 0; block < plan.blocks_in(k); ++block) {
        const auto found = done_.find({k, block});
        BOOST_TEST((found != done_.end() && found->second == 1));
      }
  }

  // Groups that were granted to somebody who had not sealed the one before.
  int ahead() const { return ahead_; }

  static constexpr WorkPlan plan{.samples = 103, .batch = 24, .block = 4, .epochs = 3};

 private:
  bool step() {
    const WorkerId worker{static_cast<std::uint32_t>(random_.below(4))};
    const auto chance = random_.below(100);
    if (chance < 3) {
      ledger_.leave(worker);
      held_.erase(worker);
      sealed_.erase(worker);
      ledger_.join(worker);
      return true;
    }
    if (chance < 5) {
      ledger_.set_shares(
          {{worker, static_cast<std::uint32_t>(random_.below(7))}, {WorkerId{0}, 3}});
      return true;
    }
    return chance < 50 ? finish_group(worker) : ask(worker);
  }

  bool ask(WorkerId worker) {
    auto& held = held_[worker];
    const bool told = !held.empty() && held.back().complete;
    if (!held.empty() && held.front().complete && (held.size() == 2 || random_.below(2) == 1))
      if (told || random_.below(2) == 1) return seal_oldest(worker);
    const bool ahead = told || (!held.empty() && random_.below(2) == 1);
    const Work work = ledger_.next(worker, now_, ahead);
    BOOST_TEST(ledger_.holds(worker) == (!held.empty() || is_unsealed(work)));
    if (work.kind == Work::Kind::wait) {
      BOOST_TEST((held.empty() || told));
      return false;
    }
    if (work.kind == Work::Kind::seal) {
      BOOST_TEST((!held.empty() && !told));
      held.back().complete = true;
      return true;
    }
    BOOST_TEST(work.iteration - ledger_.frontier() <= slack_);
    if (!held.empty() && !told && is_unsealed(work) && held.back().iteration == work.iteration) {
      held.back().blocks.insert(held.back().blocks.end(), work.blocks.begin(), work.blocks.end());
      return true;
    }
    if (!held.empty()) {
      BOOST_TEST((ahead && !committed_ && held.size() == 1));
      BOOST_TEST((!is_unsealed(work) || held.back().iteration != work.iteration));
      held.back().complete = true;
      ++ahead_;
    }
    if (is_unsealed(work))
      held.push_back({work.iteration, work.blocks, false});
    else
      sealed_[worker].push_back({work.group, work.iteration, work.blocks});
    return true;
  }
  static bool is_unsealed(const Work& work) {
    return work.kind == Work::Kind::compute && work.group == 0;
  }

  bool seal_oldest(WorkerId worker) {
    const Held oldest = held_[worker].front();
    held_[worker].pop_front();
    const auto group = ledger_.seal(worker, oldest.iteration, oldest.blocks);
    if (group) sealed_[worker].push_back(*group);
    return true;
  }

  bool finish_group(WorkerId worker) {
    auto& groups = sealed_[worker];
    if (groups.empty()) return false;
    const Group group = groups.back();
    groups.pop_back();
    if (!committed_) {
      // A shard applies a group once, however often it comes.
      if (applied_.insert(group.id).second) count(group);
      ledger_.complete(group.id);
      return true;
    }
    staged_[group.id] = group;
    ledger_.complete(group.id);
    while (const auto ready = ledger_.commit_ready()) {
      for (GroupId id : *ready) count(staged_.at(id));
      ledger_.commit();
    }
    return true;
  }

  void count(const Group& group) {
    for (std::uint32_t block : group.blocks) ++done_[{group.iteration, block}];
  }

  Random random_;
  bool committed_;
  std::uint32_t slack_;
  WorkLedger ledger_;
  Instant now_{};
  struct Held {
    std::uint64_t iteration;
    std::vector<std::uint32_t> blocks;
    bool complete;  ///< It was told to seal them.
  };
  int ahead_ = 0;
  std::map<WorkerId, std::deque<Held>> held_;
  std::map<WorkerId, std::vector<Group>> sealed_;
  std::map<GroupId, Group> staged_;
  std::set<GroupId> applied_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, int> done_;
};

}  // namespace work_ledger_test

BOOST_AUTO_TEST_SUITE(work_ledger_test)

// Goal: each block is done exactly once and the job ends, whoever dies when.
// Method: random workers ask, seal, finish and die; the leave in the middle of a sealed group is
// the hard case, and so are overdue blocks, which two workers hold. Half of them ask ahead.
BOOST_DATA_TEST_CASE(each_block_is_done_exactly_once_under_commits, data::xrange(300), seed) {
  Job job(static_cast<std::uint64_t>(seed), true, 0);
  BOOST_TEST(job.run());
  job.check_exactly_once();
  BOOST_TEST(job.ahead() == 0);
}

BOOST_DATA_TEST_CASE(each_block_is_done_exactly_once_on_arrival, data::xrange(300), seed) {
  Job job(static_cast<std::uint64_t>(seed), false, 1 + static_cast<std::uint32_t>(seed) % 4);
  BOOST_TEST(job.run());
  job.check_exactly_once();
  BOOST_TEST(job.ahead() > 0);
}

BOOST_DATA_TEST_CASE(each_block_is_done_exactly_once_when_it_is_anybodys, data::xrange(300), seed) {
  const bool committed = seed % 2 == 0;
  const auto slack = committed ? 0 : static_cast<std::uint32_t>(seed) % 7 * 700;
  Job job(static_cast<std::uint64_t>(seed), committed, slack,
          seed % 3 == 0 ? Supply::blocks : Supply::slices);
  BOOST_TEST(job.run());
  job.check_exactly_once();
}

// Goal: nothing grows without end where nobody waits. Method: one worker sits on its first blocks
// for ever, in a job without overdue blocks; the other goes as far ahead as it may.
BOOST_AUTO_TEST_CASE(a_worker_on_demand_waits_at_the_bound_and_goes_on_when_the_frontier_moves) {
  constexpr std::uint32_t lead = 4096;
  WorkLedger ledger({.samples = 64, .batch = 16, .block = 4, .epochs = 5000}, 0, false, 1,
                    {.slack = [](WorkerId) { return lead; },
                     .pace = [](WorkerId) { return WorkerPace{0.0}; },
                     .supply = Supply::slices,
                     .may_help = {}});
  ledger.join(WorkerId{0});
  ledger.join(WorkerId{1});
  const Work old = ledger.next(WorkerId{0}, {});
  BOOST_TEST(old.iteration == 0u);
  const auto run_ahead = [&ledger] {
    Work work = ledger.next(WorkerId{1}, {});
    for (; work.kind == Work::Kind::compute; work = ledger.next(WorkerId{1}, {}))
      ledger.complete(ledger.seal(WorkerId{1}, work.iteration, work.blocks)->id);
    BOOST_TEST((work.kind == Work::Kind::wait));
  };
  run_ahead();
  BOOST_TEST(ledger.frontier() == 0u);
  BOOST_TEST(ledger.started() == lead + 1);
  ledger.complete(ledger.seal(WorkerId{0}, 0, old.blocks)->id);
  BOOST_TEST(ledger.frontier() == lead + 1);
  run_ahead();
  BOOST_TEST(ledger.frontier() == ledger.plan().iterations());
}

BOOST_AUTO_TEST_CASE(slices_are_as_large_as_the_shares_and_in_the_epochs_order) {
  WorkLedger ledger({.samples = 32, .batch = 16, .block = 2, .epochs = 1}, 0, false, 1,
                    {.slack = [](WorkerId) { return 9U; },
                     .pace = [](WorkerId) { return WorkerPace{0.0}; },
                     .supply = Supply::slices,
                     .may_help = {}});
  for (std::uint32_t worker = 0; worker < 3; ++worker) ledger.join(WorkerId{worker});
  ledger.set_shares({{WorkerId{0}, 5}, {WorkerId{1}, 2}, {WorkerId{2}, 1}});
  using Blocks = std::vector<std::uint32_t>;
  BOOST_TEST((ledger.next(WorkerId{1}, {}).blocks == Blocks{0, 1}));
  BOOST_TEST((ledger.next(WorkerId{0}, {}).blocks == Blocks{2, 3, 4, 5, 6}));
  BOOST_TEST((ledger.next(WorkerId{0}, {}).kind == Work::Kind::seal));
  // The iteration's last block is a short slice; the next one is the next iteration's.
  const Work rest = ledger.next(WorkerId{2}, {});
  BOOST_TEST((rest.blocks == Blocks{7}));
  BOOST_TEST(rest.iteration == 0u);
  ledger.seal(WorkerId{1}, 0, {0, 1});
  BOOST_TEST(ledger.next(WorkerId{1}, {}).iteration == 1u);
}

BOOST_AUTO_TEST_CASE(blocks_from_a_queue_come_one_by_one_until_the_iteration_has_none_left) {
  WorkLedger ledger({.samples = 16, .batch = 8, .block = 2, .epochs = 1}, 0, true, 1,
                    {.slack = [](WorkerId) { return 0U; },
                     .pace = [](WorkerId) { return WorkerPace{0.0}; },
                     .supply = Supply::blocks,
                     .may_help = {}});
  ledger.join(WorkerId{0});
  ledger.join(WorkerId{1});
  BOOST_TEST(!ledger.next(WorkerId{0}, {}).last);
  BOOST_TEST(!ledger.next(WorkerId{1}, {}).last);
  BOOST_TEST((ledger.next(WorkerId{0}, {}).blocks == std::vector<std::uint32_t>{2}));
  BOOST_TEST(ledger.next(WorkerId{0}, {}).last);
  BOOST_TEST((ledger.next(WorkerId{0}, {}).kind == Work::Kind::seal));
}

BOOST_AUTO_TEST_CASE(only_a_helper_takes_over) {
  const auto taken_by = [](std::uint32_t helper) {
    WorkLedger ledger(
        {.samples = 48, .batch = 48, .block = 2, .epochs = 1}, 0, true, 1,
        {.slack = [](WorkerId) { return 0U; },
         .pace = [](WorkerId worker) { return WorkerPace{worker == WorkerId{0} ? 10.0 : 1.0}; },
         .may_help = [](WorkerId who, WorkerId) { return who == WorkerId{1}; }});
    for (std::uint32_t worker = 0; worker < 3; ++worker) ledger.join(WorkerId{worker});
    ledger.set_shares({{WorkerId{0}, 22}, {WorkerId{1}, 1}, {WorkerId{2}, 1}});
    (void)ledger.next(WorkerId{0}, {});
    (void)ledger.next(WorkerId{helper}, {});
    return ledger.next(WorkerId{helper}, {}).kind;
  };
  BOOST_TEST((taken_by(1) == Work::Kind::compute));
  BOOST_TEST((taken_by(2) == Work::Kind::seal));
}

BOOST_AUTO_TEST_CASE(shares_move_only_cut_points) {
  WorkLedger ledger(
      {.samples = 64, .batch = 64, .block = 4, .epochs = 1}, 0, true, 1,
      {.slack = [](WorkerId) { return 0U; }, .pace = [](WorkerId) { return WorkerPace{0.0}; }});
  for (std::uint32_t worker = 0; worker < 3; ++worker) ledger.join(WorkerId{worker});
  ledger.set_shares({{WorkerId{0}, 10}, {WorkerId{1}, 1}, {WorkerId{2}, 5}});
  std::map<std::uint32_t, std::size_t> taken;
  std::vector<std::uint32_t> order;
  for (std::uint32_t worker = 0; worker < 3; ++worker)
    for (Work work = ledger.next(WorkerId{worker}, {}); work.kind == Work::Kind::compute;
         work = ledger.next(WorkerId{worker}, {})) {
      taken[worker] += work.blocks.size();
      order.insert(order.end(), work.blocks.begin(), work.blocks.end());
    }
  BOOST_TEST(taken[0] == 10u);
  BOOST_TEST(taken[1] == 1u);
  BOOST_TEST(taken[2] == 5u);
  for (std::uint32_t i = 0; i < 16; ++i) BOOST_TEST(order[i] == i);
}

BOOST_AUTO_TEST_CASE(no_lease_is_granted_beyond_a_pause) {
  WorkLedger ledger(
      {.samples = 64, .batch = 16, .block = 16, .epochs = 1}, 0, false, 1,
      {.slack = [](WorkerId) { return 3U; }, .pace = [](WorkerId) { return WorkerPace{0.0}; }});
  ledger.join(WorkerId{0});
  ledger.pause_at(1);
  const Work work = ledger.next(WorkerId{0}, {});
  BOOST_TEST((work.kind == Work::Kind::compute));
  const auto group = ledger.seal(WorkerId{0}, work.iteration, work.blocks);
  BOOST_TEST((ledger.next(WorkerId{0}, {}).kind == Work::Kind::wait));
  ledger.complete(group->id);
  BOOST_TEST(ledger.frontier() == 1u);
  BOOST_TEST((ledger.next(WorkerId{0}, {}).kind == Work::Kind::wait));
  ledger.pause_at(4);
  BOOST_TEST((ledger.next(WorkerId{0}, {}).kind == Work::Kind::compute));
}

BOOST_AUTO_TEST_CASE(a_seal_of_what_is_not_held_frees_what_is) {
  for (const bool reassign : {false, true}) {
    WorkLedger ledger({.samples = 64, .batch = 32, .block = 16, .epochs = 1}, 0, false, 1,
                      {.slack = [](WorkerId) { return 1U; },
                       .pace = [](WorkerId) { return WorkerPace{0.0}; },
                       .reassign = reassign});
    ledger.join(WorkerId{0});
    const Work first = ledger.next(WorkerId{0}, {});
    BOOST_TEST(bool(ledger.seal(WorkerId{0}, 0, first.blocks)));
    const Work second = ledger.next(WorkerId{0}, {});
    BOOST_TEST(second.iteration == 1u);
    ledger.join(WorkerId{1});
    BOOST_TEST((ledger.next(WorkerId{1}, {}).kind == Work::Kind::wait));
    // It answers for an iteration that was over when it asked.
    BOOST_TEST(!ledger.seal(WorkerId{0}, 0, first.blocks));
    const Work taken = ledger.next(WorkerId{1}, {});
    BOOST_TEST((taken.kind == Work::Kind::compute));
    BOOST_TEST(taken.iteration == 1u);
  }
}

BOOST_AUTO_TEST_CASE(a_group_that_one_shard_has_is_issued_again_unchanged) {
  WorkLedger ledger(
      {.samples = 64, .batch = 32, .block = 8, .epochs = 1}, 0, false, 100,
      {.slack = [](WorkerId) { return 1U; }, .pace = [](WorkerId) { return WorkerPace{0.0}; }});
  BOOST_TEST(ledger.restore({7, 0, {1, 3}}, false));
  BOOST_TEST(!ledger.restore({8, 0, {3}}, true));
  ledger.join(WorkerId{0});
  const Work work = ledger.next(WorkerId{0}, {});
  BOOST_TEST(work.group == 7u);
  BOOST_TEST((work.blocks == std::vector<std::uint32_t>{1, 3}));
}

BOOST_AUTO_TEST_CASE(completed_groups_are_known_until_their_iteration_is_applied) {
  for (const bool committed : {true, false}) {
    WorkLedger ledger(
        {.samples = 64, .batch = 32, .block = 8, .epochs = 1}, 0, committed, 100,
        {.slack = [](WorkerId) { return 1U; }, .pace = [](WorkerId) { return WorkerPace{0.0}; }});
    BOOST_TEST(ledger.restore({7, 0, {1, 3}}, true));
    BOOST_TEST(ledger.restore({8, 1, {0}}, true));
    BOOST_TEST((ledger.completed() == std::map<GroupId, std::uint64_t>{{7, 0}, {8, 1}}));
    BOOST_TEST(ledger.restore({9, 0, {0, 2}}, true));
    if (committed) ledger.commit();
    BOOST_TEST((ledger.completed() == std::map<GroupId, std::uint64_t>{{8, 1}}));
  }
}

BOOST_AUTO_TEST_SUITE_END()

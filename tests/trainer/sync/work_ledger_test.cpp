#include "trainer/sync/work_ledger.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;
namespace data = boost::unit_test::data;

namespace {

// Drives a ledger as workers, shards and deaths would, and counts how often each block was done.
class Job {
 public:
  Job(std::uint64_t seed, bool committed, std::uint32_t slack)
      : random_(seed),
        committed_(committed),
        slack_(slack),
        ledger_(plan, 0, committed, 1,
                {.slack = [slack](WorkerId) { return slack; },
                 .block_seconds = [](WorkerId) { return 1.0; },
                 .reassign = true,
                 .overdue_factor = 2}) {
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
    const Work work = ledger_.next(worker, now_);
    auto& held = held_[worker];
    if (work.kind == Work::Kind::wait) {
      BOOST_TEST(held.blocks.empty());
      return false;
    }
    if (work.kind == Work::Kind::compute) {
      BOOST_TEST(work.iteration - ledger_.frontier() <= slack_);
      if (work.group != 0) {
        sealed_[worker].push_back({work.group, work.iteration, work.blocks});
        return true;
      }
      BOOST_TEST((held.blocks.empty() || held.iteration == work.iteration));
      held.iteration = work.iteration;
      held.blocks.insert(held.blocks.end(), work.blocks.begin(), work.blocks.end());
      return true;
    }
    const auto group = ledger_.seal(worker, held.iteration, held.blocks);
    held.blocks.clear();
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
  std::map<WorkerId, Group> held_;
  std::map<WorkerId, std::vector<Group>> sealed_;
  std::map<GroupId, Group> staged_;
  std::set<GroupId> applied_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, int> done_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(work_ledger_test)

// Goal: each block is done exactly once and the job ends, whoever dies when.
// Method: random workers ask, seal, finish and die; the leave in the middle of a sealed group is
// the hard case, and so are overdue blocks, which two workers hold.
BOOST_DATA_TEST_CASE(each_block_is_done_exactly_once_under_commits, data::xrange(300), seed) {
  Job job(static_cast<std::uint64_t>(seed), true, 0);
  BOOST_TEST(job.run());
  job.check_exactly_once();
}

BOOST_DATA_TEST_CASE(each_block_is_done_exactly_once_on_arrival, data::xrange(300), seed) {
  Job job(static_cast<std::uint64_t>(seed), false, 1 + static_cast<std::uint32_t>(seed) % 4);
  BOOST_TEST(job.run());
  job.check_exactly_once();
}

BOOST_AUTO_TEST_CASE(shares_move_only_cut_points) {
  WorkLedger ledger(
      {.samples = 64, .batch = 64, .block = 4, .epochs = 1}, 0, true, 1,
      {.slack = [](WorkerId) { return 0U; }, .block_seconds = [](WorkerId) { return 0.0; }});
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
      {.slack = [](WorkerId) { return 3U; }, .block_seconds = [](WorkerId) { return 0.0; }});
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
                       .block_seconds = [](WorkerId) { return 0.0; },
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
      {.slack = [](WorkerId) { return 1U; }, .block_seconds = [](WorkerId) { return 0.0; }});
  BOOST_TEST(ledger.restore({7, 0, {1, 3}}, false));
  BOOST_TEST(!ledger.restore({8, 0, {3}}, true));
  ledger.join(WorkerId{0});
  const Work work = ledger.next(WorkerId{0}, {});
  BOOST_TEST(work.group == 7u);
  BOOST_TEST((work.blocks == std::vector<std::uint32_t>{1, 3}));
}

BOOST_AUTO_TEST_SUITE_END()

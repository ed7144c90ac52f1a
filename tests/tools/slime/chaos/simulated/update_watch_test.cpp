#include "tools/slime/chaos/simulated/update_watch.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/wire/message.hpp"

using namespace slime;
using runtime::Message;
using slime::tools::UpdateWatch;

namespace update_watch_test {

// Two iterations of two blocks an epoch.
constexpr trainer::WorkPlan plan{.samples = 8, .batch = 4, .block = 2, .epochs = 1};
constexpr ActorAddress coordinator{{1, 1}, 1, 20}, worker{{2, 1}, 1, 20}, other{{3, 1}, 1, 20},
    shard{{4, 1}, 1, 20}, second{{5, 1}, 1, 20};

struct Told {
  explicit Told(bool committed, std::uint64_t lead = 0) : watch(plan, committed, lead) {}

  template <class T, class Fill>
  void say(const ActorAddress& from, const ActorAddress& to, Fill&& fill) {
    const auto message = Message<T>::make(fill).any();
    watch.see({runtime::DeliveryKind::ask, from, to, message, Instant{}});
  }
  void begin(unsigned shards) {
    say<schema::Begin>(coordinator, worker, [&](auto root) { root.initShards(shards); });
  }
  void lease(std::uint64_t iteration) {
    say<schema::Grant>(coordinator, worker,
                       [&](auto root) { root.initCompute().setIteration(iteration); });
  }
  void push(const ActorAddress& from, const ActorAddress& to, std::uint64_t group,
            std::uint64_t iteration, std::vector<std::uint32_t> blocks, bool acknowledged = true) {
    say<schema::Push>(from, to, [&](schema::Push::Builder root) {
      root.setGroup(group);
      root.setIteration(iteration);
      root.setBlocks(kj::arrayPtr(blocks.data(), blocks.size()));
    });
    if (acknowledged) say<schema::Pushed>(to, from, [](auto) {});
  }
  void commit(std::uint64_t iteration, std::vector<std::uint64_t> groups) {
    say<schema::Commit>(coordinator, shard, [&](schema::Commit::Builder root) {
      root.setIteration(iteration);
      root.setGroups(kj::arrayPtr(groups.data(), groups.size()));
    });
  }
  bool tells(std::string_view what) const {
    BOOST_TEST_MESSAGE(watch.violation().value_or("nothing"));
    return watch.violation() && watch.violation()->find(what) != std::string::npos;
  }

  UpdateWatch watch;
};

}  // namespace update_watch_test

using namespace update_watch_test;

BOOST_AUTO_TEST_SUITE(update_watch_test)

BOOST_AUTO_TEST_CASE(an_iteration_of_whole_groups_may_be_committed) {
  Told run(true);
  run.begin(1);
  run.lease(0);
  run.push(worker, shard, 1, 0, {0}, false);
  // Its worker died, and somebody else computed it anew.
  run.push(other, shard, 2, 0, {0, 1});
  run.commit(0, {2});
  run.lease(1);
  BOOST_TEST(!run.watch.violation().has_value());
  BOOST_TEST(run.watch.acknowledged() == 1U);
}

BOOST_AUTO_TEST_CASE(a_commit_with_a_block_twice_or_not_at_all_is_found) {
  Told twice(true);
  twice.push(worker, shard, 1, 0, {0});
  twice.push(other, shard, 2, 0, {0, 1});
  twice.commit(0, {1, 2});
  BOOST_TEST(twice.tells("iteration 0 was committed with 3 blocks, some twice, of 2"));
  Told less(true);
  less.push(worker, shard, 1, 0, {0});
  less.commit(0, {1});
  BOOST_TEST(less.tells("with 1 blocks, each once, of 2"));
  Told unknown(true);
  unknown.push(worker, second, 1, 0, {0, 1});
  unknown.commit(0, {1});
  BOOST_TEST(unknown.tells("with group 1, which shard"));
}

BOOST_AUTO_TEST_CASE(a_shard_that_has_a_block_in_two_groups_is_found) {
  Told run(false, 3);
  run.push(worker, shard, 1, 0, {0});
  // A repetition is the same group, whoever pushes it.
  run.push(other, shard, 1, 0, {0});
  run.push(other, second, 2, 0, {0});
  BOOST_TEST(!run.watch.violation().has_value());
  run.push(other, shard, 2, 0, {0, 1});
  BOOST_TEST(run.tells("has block 0 of iteration 0 in group 1 and in group 2"));
}

BOOST_AUTO_TEST_CASE(a_lease_beyond_its_bound_is_found) {
  Told run(false, 1);
  run.begin(2);
  run.lease(1);
  run.push(worker, shard, 1, 0, {0, 1});
  run.lease(1);
  BOOST_TEST(!run.watch.violation().has_value());
  Told ahead(false, 1);
  ahead.begin(2);
  ahead.push(worker, shard, 1, 0, {0, 1});
  ahead.lease(2);
  BOOST_TEST(ahead.tells("iteration 2 was leased while 0 had not come to all shards"));
  // With all of iteration 0 on both shards it is within its bound.
  run.push(worker, second, 1, 0, {0, 1});
  run.lease(2);
  BOOST_TEST(!run.watch.violation().has_value());
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/simulation/onlooker.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/wire/message.hpp"

using namespace slime;
using namespace std::chrono_literals;
using runtime::Message;

namespace onlooker_test {

/// Two iterations of two blocks of two samples, and what is said about them.
struct Looking {
  static ActorAddress actor(std::uint64_t number) { return {NodeId{1, number}, 1, number}; }

  template <class T, class Fill>
  void pass(Fill&& fill, std::uint64_t from = 1) {
    const auto any = Message<T>::make(fill).any();
    onlooker.see({runtime::DeliveryKind::ask, actor(from), coordinator, any, now});
  }
  /// A lease that was granted `before` ago.
  void lease(std::uint64_t iteration, Duration before = Duration::zero()) {
    pass<schema::Grant>([&](schema::Grant::Builder root) {
      root.initCompute().setIteration(iteration);
      root.getCompute().setRunNs((now - before - runtime::simulation_start).count());
    });
  }
  void push(std::uint64_t group, std::uint64_t iteration, std::vector<std::uint32_t> blocks,
            std::uint64_t worker = 1) {
    pass<schema::Push>(
        [&](schema::Push::Builder root) {
          root.setGroup(group);
          root.setIteration(iteration);
          root.setBlocks(kj::arrayPtr(blocks.data(), blocks.size()));
        },
        worker);
    complete(group, worker);
  }
  void complete(std::uint64_t group, std::uint64_t worker = 1) {
    pass<schema::Complete>([&](auto root) { root.setGroup(group); }, worker);
  }
  /// `observer` hears that the worker ended.
  void end(std::uint64_t worker, const ActorAddress& observer) {
    const runtime::AnyMessage none;
    onlooker.see({runtime::DeliveryKind::down, actor(worker), observer, none, now});
  }
  void seal(std::uint64_t sequence, double compute_s) {
    pass<schema::Seal>([&](schema::Seal::Builder root) {
      root.setSequence(sequence);
      root.initMeasured().setComputeSeconds(compute_s);
    });
  }
  void answer_seal(std::uint64_t group) {
    const auto any =
        Message<schema::Sealed>::make([group](auto root) { root.setGroup(group); }).any();
    onlooker.see({runtime::DeliveryKind::answer, coordinator, actor(1), any, now});
  }
  void share(std::vector<std::uint32_t> blocks) {
    pass<schema::Shares>([&](schema::Shares::Builder root) {
      auto list = root.initShares(static_cast<unsigned>(blocks.size()));
      for (unsigned i = 0; i < list.size(); ++i) {
        list[i].setWorker(i);
        list[i].setBlocks(blocks[i]);
      }
    });
  }

  const ActorAddress coordinator = actor(9);
  Instant now = runtime::simulation_start;
  tools::Onlooker onlooker{{.samples = 8, .batch = 4, .block = 2}, 1};
};

}  // namespace onlooker_test

BOOST_FIXTURE_TEST_SUITE(onlooker_test, Looking)

BOOST_AUTO_TEST_CASE(an_iteration_ends_when_it_and_all_before_are_applied) {
  lease(0);
  now += 1s;
  push(1, 0, {0});
  push(2, 1, {0, 1});
  BOOST_TEST(onlooker.finished_s().empty());
  now += 1s;
  push(3, 0, {1});
  BOOST_TEST(onlooker.finished_s() == std::vector<double>({2, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(onlooker.finished());
  BOOST_TEST(!onlooker.violation().has_value());
}

BOOST_AUTO_TEST_CASE(a_completion_that_is_repeated_counts_once) {
  lease(0);
  push(1, 0, {0});
  pass<schema::Complete>([](auto root) { root.setGroup(1); });
  BOOST_TEST(!onlooker.violation().has_value());
}

BOOST_AUTO_TEST_CASE(a_push_that_is_repeated_counts_once) {
  lease(0);
  push(1, 0, {0});
  push(1, 0, {0});
  BOOST_TEST(!onlooker.violation().has_value());
}

// Goal: what the coordinator refuses is not applied.
// Method: it has counted worker 1 out, dropped its group and had the block computed anew.
BOOST_AUTO_TEST_CASE(what_a_worker_that_was_counted_out_completes_is_not_applied) {
  lease(0);
  end(1, coordinator);
  push(1, 0, {0}, 1);
  push(2, 0, {0}, 2);
  BOOST_TEST(!onlooker.violation().has_value());
  push(3, 0, {1}, 2);
  BOOST_TEST(onlooker.finished_s().size() == 1u);
}

BOOST_AUTO_TEST_CASE(only_the_coordinator_counts_a_worker_out) {
  lease(0);
  end(1, actor(8));
  push(1, 0, {0, 1}, 1);
  BOOST_TEST(onlooker.finished_s().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_block_that_is_applied_twice_is_noticed) {
  lease(0);
  push(1, 0, {0});
  push(2, 0, {0, 1});
  BOOST_TEST(onlooker.violation().value() == "block 0 of iteration 0 was applied twice");
}

BOOST_AUTO_TEST_CASE(a_lease_beyond_the_bound_is_noticed) {
  lease(0);
  lease(1);
  BOOST_TEST(onlooker.lead() == 1u);
  BOOST_TEST(!onlooker.violation().has_value());
  lease(2);
  BOOST_TEST(onlooker.violation().has_value());
}

// Goal: what was applied while a lease was on its way does not excuse it.
BOOST_AUTO_TEST_CASE(a_lease_is_judged_by_what_was_applied_when_it_was_granted) {
  lease(0);
  now += 2s;
  push(1, 0, {0, 1});
  now += 1s;
  lease(1, 1s);
  BOOST_TEST(onlooker.lead() == 0u);
  lease(1, 2s);
  BOOST_TEST(onlooker.lead() == 1u);
  BOOST_TEST(!onlooker.violation().has_value());
  lease(2, 2s);
  BOOST_TEST(onlooker.violation().has_value());
}

BOOST_AUTO_TEST_CASE(shares_that_change_after_the_start_move_samples) {
  share({2, 0});
  lease(0);
  share({1, 1});
  share({1, 1});
  BOOST_TEST(onlooker.samples_moved() == 2u);
  BOOST_TEST(onlooker.share_changes() == 2u);
}

BOOST_AUTO_TEST_CASE(each_sealed_group_is_computed_once) {
  seal(1, 1);
  seal(1, 1);
  BOOST_TEST(onlooker.busy_s() == 0);
  answer_seal(7);
  BOOST_TEST(onlooker.busy_s() == 1);
  seal(2, 0.5);
  seal(1, 1);
  answer_seal(7);
  BOOST_TEST(onlooker.busy_s() == 1);
  answer_seal(8);
  BOOST_TEST(onlooker.busy_s() == 1.5);
}

BOOST_AUTO_TEST_CASE(what_is_refused_when_it_is_sealed_was_computed_in_vain) {
  seal(1, 1);
  answer_seal(0);
  BOOST_TEST(onlooker.busy_s() == 0);
}

BOOST_AUTO_TEST_CASE(a_worker_is_found_where_it_asked_last) {
  BOOST_TEST(!onlooker.machine_of(5).has_value());
  pass<schema::Next>([](auto root) { root.setWorker(5); }, 7);
  BOOST_CHECK(onlooker.machine_of(5).value() == (NodeId{1, 7}));
  BOOST_TEST(!onlooker.ended());
  pass<schema::Grant>([](auto root) { root.setFinish(); });
  BOOST_TEST(onlooker.ended());
}

BOOST_AUTO_TEST_SUITE_END()

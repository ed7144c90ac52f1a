// What a worker does with a lease that comes before it has sealed the group before.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/actors/training/worker_stage.hpp"

using namespace slime;
using namespace slime::tests;

namespace worker_ahead_test {

// In a mode that leases ahead, on a machine that takes a millisecond for a sample.
struct Ahead : Working {
  explicit Ahead(double sample_us = 1000) {
    mode = "a_dsp";
    start(sample_us);
    BOOST_TEST(bool(begin(1)));
    coordinator.seal_as = 9;
  }
  bool asks_ahead() const {
    return coordinator.questions.back().read([](auto read) { return read.getAhead(); });
  }
  // Leases `first` and tells to seal it. Returns when the next group is asked for, while the first
  // is being computed.
  void until_it_asks_ahead(const Grant& first) {
    coordinator.grant(first);
    coordinator.grant(seal());
    const bool asked = simulation.run_until([this] { return asks_ahead(); }, 1s);
    BOOST_REQUIRE(asked);
  }
  // Holds back the next message of type T once, by losing it.
  template <class T>
  void lose_next() {
    simulation.observe([lost = false](const runtime::Delivery& delivery) mutable {
      if (lost || delivery.message.type != runtime::type_id<T>()) return runtime::Verdict::deliver;
      lost = true;
      return runtime::Verdict::drop;
    });
  }
  Blocks sealed(std::size_t index) const {
    BOOST_REQUIRE(coordinator.seals.size() > index);
    return coordinator.seals[index].read(
        [](auto read) { return runtime::to_vector<std::uint32_t>(read.getBlocks()); });
  }
};

// The same on a machine that computes in earnest.
struct AheadInEarnest : Ahead {
  AheadInEarnest() : Ahead(0) {}
};

}  // namespace worker_ahead_test

BOOST_AUTO_TEST_SUITE(worker_ahead_test)

// Goal: one machine computes without a pause, and each group is measured as if it were alone.
BOOST_FIXTURE_TEST_CASE(a_group_leased_ahead_follows_the_one_before_at_once, Ahead) {
  until_it_asks_ahead(lease({0, 1}, 0, 0));
  BOOST_TEST(coordinator.seals.empty());
  grant(lease({2}, 0, 1));
  BOOST_TEST(sealed(0) == (Blocks{0, 1}));
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{9, {0, 1}}}));
  BOOST_TEST(coordinator.seals.size() == 1u);
  coordinator.seal_as = 10;
  grant(seal());
  BOOST_TEST(sealed(1) == Blocks{2});
  coordinator.seals[1].read([](schema::Seal::Reader read) {
    BOOST_TEST(read.getIteration() == 1u);
    BOOST_TEST(read.getMeasured().getSamples() == 4u);
    BOOST_TEST(read.getMeasured().getWaitSeconds() < 1e-5);
    BOOST_TEST(std::abs(read.getMeasured().getComputeSeconds() - 0.004) < 1e-9);
  });
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{9, {0, 1}}, {10, {2}}}));
}

BOOST_FIXTURE_TEST_CASE(the_next_group_is_asked_for_shortly_before_the_end, Ahead) {
  coordinator.grant(lease({0, 1, 2, 3, 4, 5}));
  const Instant leased = simulation.now();
  coordinator.grant(seal());
  simulation.run_until([this] { return asks_ahead(); }, 1s);
  // 24 ms of computing; a fetch takes at most 1 ms and a third of it longer than that is unlikely.
  BOOST_TEST(to_seconds(simulation.now() - leased) > 0.020);
  BOOST_TEST(coordinator.seals.empty());
}

BOOST_FIXTURE_TEST_CASE(in_committed_modes_it_asks_for_the_next_group_behind_the_seal, Working) {
  start(1000);
  BOOST_TEST(bool(begin(1)));
  coordinator.grant(lease({0, 1}));
  grant(seal());
  BOOST_TEST(coordinator.seals.size() == 1u);
  BOOST_TEST(coordinator.questions.size() == 3u);
}

// Goal: one push per shard at a time, and no flood of questions while it takes long.
BOOST_FIXTURE_TEST_CASE(the_next_seal_waits_for_the_push_before, Ahead) {
  until_it_asks_ahead(lease({0}, 0, 0));
  lose_next<schema::Pushed>();
  coordinator.grant(lease({2}, 0, 1));
  coordinator.grant(seal());
  coordinator.grant(lease({3}, 0, 2));
  coordinator.grant(seal());
  run(500ms);
  BOOST_TEST(coordinator.seals.size() == 1u);
  BOOST_TEST(coordinator.completions.empty());
  BOOST_TEST(coordinator.questions.size() == 6u);
  run(3s);
  BOOST_TEST(coordinator.completions.size() == 3u);
  BOOST_TEST(sealed(1) == Blocks{2});
  BOOST_TEST(sealed(2) == Blocks{3});
}

BOOST_FIXTURE_TEST_CASE(a_newer_term_drops_both_groups, Ahead) {
  until_it_asks_ahead(lease({0, 1}, 0, 0));
  coordinator.grant(lease({2}, 0, 1));
  simulation.run_until([this] { return !asks_ahead(); }, 1s);
  const std::size_t before = coordinator.seals.size();
  BOOST_TEST(bool(begin(2)));
  grant(seal());
  grant(seal());
  BOOST_TEST(coordinator.seals.size() == before);
  BOOST_TEST(coordinator.questions.back().read([](auto read) { return read.getTerm(); }) == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_refused_seal_drops_its_own_group_only, Ahead) {
  until_it_asks_ahead(lease({0, 1}, 0, 0));
  coordinator.seal_as = 0;
  grant(lease({2}, 0, 1));
  BOOST_TEST(staged().empty());
  coordinator.seal_as = 4;
  grant(seal());
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{4, {2}}}));
}

// Goal: what crosses a seal is a group of its own, of whatever iteration.
BOOST_FIXTURE_TEST_CASE(a_grant_that_overtakes_the_answer_to_a_seal_is_another_group, Ahead) {
  until_it_asks_ahead(lease({0, 1}, 0, 0));
  lose_next<schema::Sealed>();
  simulation.run_until([this] { return coordinator.seals.size() == 1; }, 1s);
  coordinator.grant(lease({5}, 0, 0));
  run(500ms);
  BOOST_TEST(coordinator.completions.empty());
  coordinator.seal_as = 10;
  grant(seal());
  BOOST_TEST(sealed(0) == (Blocks{0, 1}));
  BOOST_TEST(sealed(coordinator.seals.size() - 1) == Blocks{5});
  BOOST_TEST(coordinator.completions.size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(an_evaluation_waits_until_what_was_sealed_is_pushed, Ahead) {
  until_it_asks_ahead(lease({0, 1}, 0, 0));
  lose_next<schema::Sealed>();
  simulation.run_until([this] { return coordinator.seals.size() == 1; }, 1s);
  coordinator.grant(
      Grant::make([](schema::Grant::Builder root) { root.initEvaluate().setCount(10); }));
  run(500ms);
  BOOST_TEST(coordinator.scores.empty());
  run(3s);
  BOOST_TEST(coordinator.scores.size() == 1u);
  BOOST_TEST(coordinator.completions.size() == 1u);
}

// Goal: a thread that computes cannot ask shortly before it ends, so it asks before it begins.
BOOST_FIXTURE_TEST_CASE(a_machine_that_is_not_emulated_looks_ahead_at_once, Working) {
  mode = "a_dsp";
  start();
  BOOST_TEST(bool(begin(1)));
  coordinator.grant(lease({0, 1}, 0, 0));
  coordinator.grant(lease({2, 3, 4}, 0, 1));
  coordinator.seal_as = 5;
  run();
  BOOST_REQUIRE(coordinator.questions.size() == 3u);
  BOOST_TEST(coordinator.questions[1].read([](auto read) { return read.getAhead(); }));
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{5, {0, 1}}}));
  coordinator.seal_as = 6;
  grant(seal());
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{5, {0, 1}}, {6, {2, 3, 4}}}));
}

// Goal: never a third group. Method: a group issued again waits for the push of the one before,
// whose answer is lost, and another one is computed meanwhile.
BOOST_FIXTURE_TEST_CASE(who_has_two_groups_asks_for_none_ahead, AheadInEarnest) {
  lose_next<schema::Pushed>();
  coordinator.grant(lease({0, 1}, 7, 0));
  coordinator.grant(lease({2, 3}, 8, 0));
  coordinator.grant(lease({4}, 0, 1));
  run(500ms);
  BOOST_TEST(!asks_ahead());
  coordinator.seal_as = 9;
  grant(seal());
  run(3s);
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{7, {0, 1}}, {8, {2, 3}}, {9, {4}}}));
}

BOOST_AUTO_TEST_SUITE_END()

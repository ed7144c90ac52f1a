#include "actors/training/worker.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <utility>

#include "actors/training/job_parts.hpp"
#include "tests/actors/training/worker_stage.hpp"

using namespace slime;
using namespace slime::tests;

namespace worker_test {

std::uint64_t group_of(const Message<schema::Complete>& completion) {
  return completion.read([](schema::Complete::Reader read) {
    BOOST_TEST(read.getFailure().getCode() == 0u);
    return read.getGroup();
  });
}

}  // namespace worker_test

BOOST_FIXTURE_TEST_SUITE(worker_test, Working)

BOOST_AUTO_TEST_CASE(it_describes_the_data_it_loaded) {
  start();
  simulation.call(worker, Message<schema::Describe>::make())
      .value()
      .read([](schema::Description::Reader read) {
        BOOST_TEST(read.getSamples() == 103u);
        BOOST_TEST(read.getTestSamples() == 20u);
        BOOST_TEST(read.getInputs() == 4u);
        BOOST_TEST(read.getClasses() == 3u);
        BOOST_TEST(read.getTerm() == 0u);
      });
}

BOOST_AUTO_TEST_CASE(data_that_are_not_there_are_named_to_whoever_asks) {
  std::filesystem::remove(path() / "test-labels");
  start();
  const auto described = simulation.call(worker, Message<schema::Describe>::make());
  BOOST_REQUIRE(!described);
  BOOST_TEST(described.error().context.find("test-labels") != std::string::npos);
  BOOST_TEST(!begin(1));
  BOOST_TEST(simulation.alive(worker.address));
}

BOOST_AUTO_TEST_CASE(what_it_is_leased_it_computes_seals_and_pushes) {
  start();
  BOOST_TEST(bool(begin(1)));
  grant(lease({0, 1}));
  grant(lease({3}));
  BOOST_TEST(coordinator.seals.empty());
  coordinator.seal_as = 9;
  grant(seal());
  BOOST_REQUIRE(coordinator.seals.size() == 1u);
  coordinator.seals[0].read([](schema::Seal::Reader read) {
    BOOST_TEST(runtime::to_vector<std::uint32_t>(read.getBlocks()) == (Blocks{0, 1, 3}));
    BOOST_TEST(read.getMeasured().getSamples() == 12u);
  });
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{9, {0, 1, 3}}}));
  BOOST_REQUIRE(coordinator.completions.size() == 1u);
  BOOST_TEST(group_of(coordinator.completions[0]) == 9u);
}

// Goal: a question that is lost is missed soon once the coordinator is known to answer at once, and
// one that it keeps is hardly repeated. Method: it answers five at once and then none.
BOOST_AUTO_TEST_CASE(it_asks_again_as_soon_as_an_answer_is_late_and_then_ever_less_often) {
  std::uint64_t newest = 0;
  std::vector<Instant> asked;
  simulation.observe([&](const runtime::Delivery& delivery) {
    if (delivery.message.type != runtime::type_id<schema::Next>()) return runtime::Verdict::deliver;
    const std::uint64_t sequence =
        Message<schema::Next>::adopt(delivery.message.words).read([](auto read) {
          return read.getSequence();
        });
    if (std::exchange(newest, sequence) != sequence) asked.clear();
    asked.push_back(delivery.now);
    return runtime::Verdict::deliver;
  });
  for (const std::uint32_t block : {0, 1, 2, 3, 4}) coordinator.grant(lease({block}));
  start();
  BOOST_TEST(bool(begin(1)));
  run(13s);
  BOOST_TEST(newest == 6u);
  BOOST_REQUIRE(asked.size() > 8u);
  BOOST_TEST(asked.size() < 20u);
  const auto gap = [&](std::size_t i) {
    return std::chrono::round<std::chrono::milliseconds>(asked[i + 1] - asked[i]);
  };
  BOOST_TEST((gap(0) == 20ms && gap(1) == 40ms && gap(2) == 80ms && gap(7) == 1s));
}

BOOST_AUTO_TEST_CASE(a_refused_seal_drops_the_sum_and_nothing_else) {
  start();
  BOOST_TEST(bool(begin(1)));
  grant(lease({0, 1}));
  coordinator.seal_as = 0;
  grant(seal());
  BOOST_TEST(staged().empty());
  coordinator.seal_as = 2;
  grant(lease({4}));
  grant(seal());
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{2, {4}}}));
}

BOOST_AUTO_TEST_CASE(a_lease_of_another_iteration_is_not_added_to_a_stale_one) {
  start();
  BOOST_TEST(bool(begin(1)));
  grant(lease({0, 1}, 0, 1));
  grant(lease({2}, 0, 0));
  coordinator.seal_as = 4;
  grant(seal());
  BOOST_REQUIRE(coordinator.seals.size() == 1u);
  coordinator.seals[0].read([](schema::Seal::Reader read) {
    BOOST_TEST(read.getIteration() == 0u);
    BOOST_TEST(runtime::to_vector<std::uint32_t>(read.getBlocks()) == Blocks{2});
    BOOST_TEST(read.getMeasured().getSamples() == 4u);
  });
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{4, {2}}}));
}

BOOST_AUTO_TEST_CASE(a_group_issued_again_beside_a_stale_lease_is_pushed_as_it_is) {
  start();
  BOOST_TEST(bool(begin(1)));
  grant(lease({0}));
  grant(lease({1, 3}, 7));
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{7, {1, 3}}}));
  BOOST_TEST(coordinator.seals.empty());
}

// Method: whoever stands in the shard's place refuses every pull as the link refuses to send what
// is longer than a message may be.
BOOST_AUTO_TEST_CASE(parameters_that_cannot_be_had_end_the_job) {
  start();
  shard.address = coordinator_address;
  BOOST_TEST(bool(begin(1)));
  grant(lease({0}));
  BOOST_REQUIRE(coordinator.completions.size() == 1u);
  coordinator.completions[0].read([](schema::Complete::Reader read) {
    BOOST_TEST(read.getFailure().getCode() == static_cast<std::uint8_t>(Errc::invalid_argument));
    BOOST_TEST(read.getFailure().getContext().size() > 0u);
  });
}

BOOST_AUTO_TEST_CASE(a_group_issued_again_is_pushed_without_a_seal) {
  start();
  BOOST_TEST(bool(begin(1)));
  grant(lease({2, 5}, 77));
  BOOST_TEST(coordinator.seals.empty());
  BOOST_TEST((staged() == std::map<std::uint64_t, Blocks>{{77, {2, 5}}}));
  BOOST_REQUIRE(coordinator.completions.size() == 1u);
  BOOST_TEST(group_of(coordinator.completions[0]) == 77u);
}

BOOST_AUTO_TEST_CASE(an_emulated_machine_takes_the_time_it_should) {
  start(1000);
  BOOST_TEST(bool(begin(1)));
  grant(lease({0, 1}));
  grant(seal());
  BOOST_REQUIRE(coordinator.seals.size() == 1u);
  const double seconds =
      coordinator.seals[0].read([](auto read) { return read.getMeasured().getComputeSeconds(); });
  BOOST_TEST(std::abs(seconds - 0.008) < 1e-9);
}

BOOST_AUTO_TEST_CASE(its_score_is_that_of_the_parameters) {
  start();
  BOOST_TEST(bool(begin(1)));
  grant(Grant::make([](schema::Grant::Builder root) {
    auto range = root.initEvaluate();
    range.setRound(5);
    range.setFirst(3);
    range.setCount(10);
  }));
  BOOST_REQUIRE(coordinator.scores.size() == 1u);
  const auto expected = spec(0).read([](schema::WorkerSpec::Reader read) {
    const auto gradients =
        trainer::BlockGradients::make(actors::gradient_settings(read.getJob())).value();
    std::vector<float> parameters(small_job_parameters);
    gradients->model().initialise(read.getJob().getSeed(), 0, parameters);
    return gradients->evaluate(3, 10, parameters);
  });
  coordinator.scores[0].read([&](schema::Evaluated::Reader read) {
    BOOST_TEST(read.getRound() == 5u);
    BOOST_TEST(read.getFirst() == 3u);
    BOOST_TEST(read.getCount() == 10u);
    BOOST_TEST(read.getCorrect() == expected.correct);
    BOOST_TEST(read.getLossSum() == expected.loss_sum);
  });
}

BOOST_AUTO_TEST_CASE(a_newer_term_drops_what_was_begun_under_an_older_one) {
  start(1000);
  BOOST_TEST(bool(begin(1)));
  grant(lease({0, 1}));
  const std::size_t asked = coordinator.questions.size();
  BOOST_TEST(bool(begin(2)));
  run();
  BOOST_TEST(coordinator.questions.size() == asked + 1);
  BOOST_TEST(coordinator.questions.back().read([](auto read) { return read.getTerm(); }) == 2u);
  grant(seal());
  BOOST_TEST(coordinator.seals.empty());
  const auto stale = begin(1);
  BOOST_REQUIRE(!stale);
  BOOST_TEST((stale.error().code == Errc::stale));
}

BOOST_AUTO_TEST_CASE(a_repeated_begin_changes_nothing) {
  start();
  BOOST_TEST(bool(begin(1)));
  grant(lease({0, 1}));
  BOOST_TEST(bool(begin(1)));
  grant(seal());
  BOOST_REQUIRE(coordinator.seals.size() == 1u);
  BOOST_TEST(coordinator.seals[0].read([](auto read) { return read.getBlocks().size(); }) == 2u);
}

BOOST_AUTO_TEST_CASE(once_finished_it_asks_no_more) {
  start();
  BOOST_TEST(bool(begin(1)));
  grant(Grant::make([](auto root) { root.setFinish(); }));
  const std::size_t asked = coordinator.questions.size();
  run(60s);
  BOOST_TEST(coordinator.questions.size() == asked);
}

BOOST_AUTO_TEST_SUITE_END()

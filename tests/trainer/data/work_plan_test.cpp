#include "trainer/data/work_plan.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(work_plan_test)

constexpr WorkPlan plan{.samples = 103, .batch = 8, .block = 3, .epochs = 2};

BOOST_AUTO_TEST_CASE(iterations_and_blocks_are_full_but_for_the_last) {
  BOOST_TEST(plan.iterations_per_epoch() == 13U);
  BOOST_TEST(plan.iterations() == 26U);
  for (const std::uint64_t k : {0U, 11U, 13U, 24U}) {
    BOOST_TEST(plan.samples_in(k) == 8U);
    BOOST_TEST(plan.blocks_in(k) == 3U);
    BOOST_TEST(plan.samples_in_block(k, 1) == 3U);
    BOOST_TEST(plan.samples_in_block(k, 2) == 2U);
  }
  BOOST_TEST(plan.samples_in(12) == 7U);
  BOOST_TEST(plan.samples_in_block(25, 2) == 1U);
}

BOOST_AUTO_TEST_CASE(positions_begin_anew_in_every_epoch) {
  BOOST_TEST(plan.epoch_of(12) == 0U);
  BOOST_TEST(plan.epoch_of(13) == 1U);
  BOOST_TEST(plan.position_of(12) == 96U);
  BOOST_TEST(plan.position_of(14) == 8U);
  BOOST_TEST(plan.samples_before(12) == 96U);
  BOOST_TEST(plan.samples_before(13) == 103U);
  BOOST_TEST(plan.samples_before(14) == 111U);
}

BOOST_AUTO_TEST_CASE(a_block_may_be_larger_than_any_iteration) {
  constexpr WorkPlan wide{.samples = 7, .batch = 100, .block = 0xffff'ffff};
  BOOST_TEST(wide.iterations_per_epoch() == 1U);
  BOOST_TEST(wide.blocks_in(0) == 1U);
  BOOST_TEST(wide.samples_in_block(0, 0) == 7U);
}

// Case C5: what is wrong with a gradient is looked for in the samples it comes from.
BOOST_AUTO_TEST_CASE(blocks_are_described_by_their_samples) {
  const auto describe = [](std::uint64_t iteration, std::vector<std::uint32_t> blocks) {
    return plan.describe(iteration, blocks);
  };
  BOOST_TEST(describe(0, {0}) == "iteration 0, samples 0 to 2 of epoch 1");
  BOOST_TEST(describe(14, {2, 1}) == "iteration 14, samples 11 to 15 of epoch 2");
  BOOST_TEST(describe(14, {0, 2}) == "iteration 14, samples 8 to 10 and 14 to 15 of epoch 2");
  BOOST_TEST(describe(12, {2}) == "iteration 12, samples 102 to 102 of epoch 1");
  // What a worker gone wrong may ask for.
  BOOST_TEST(describe(12, {}) == "iteration 12, samples none of epoch 1");
  BOOST_TEST(describe(0, {2, 3}) == "iteration 0, samples 6 to 7 of epoch 1");
  BOOST_TEST(describe(0, {0xffff'ffff}) ==
             "iteration 0, samples 12884901885 to 12884901887 of epoch 1");
}

BOOST_AUTO_TEST_SUITE_END()

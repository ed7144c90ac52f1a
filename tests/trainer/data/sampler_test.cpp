#include "trainer/data/sampler.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime;
using namespace slime::trainer;

namespace sampler_test {

std::vector<std::uint32_t> epoch(Sampler& sampler, std::uint64_t number) {
  std::vector<std::uint32_t> samples;
  const WorkPlan& plan = sampler.plan();
  const std::uint64_t iterations = plan.iterations_per_epoch();
  for (std::uint64_t k = number * iterations; k < (number + 1) * iterations; ++k)
    for (std::uint32_t block = 0; block < plan.blocks_in(k); ++block) {
      const auto part = sampler.samples_of(k, block);
      samples.insert(samples.end(), part.begin(), part.end());
    }
  return samples;
}

constexpr WorkPlan plans[] = {
    {.samples = 103, .batch = 8, .block = 3}, {.samples = 103, .batch = 8, .block = 16},
    {.samples = 96, .batch = 8, .block = 4},  {.samples = 7, .batch = 100, .block = 2},
    {.samples = 1, .batch = 1, .block = 1},   {.samples = 60'000, .batch = 256, .block = 16},
};

}  // namespace sampler_test

BOOST_AUTO_TEST_SUITE(sampler_test)

BOOST_AUTO_TEST_CASE(every_epoch_uses_every_sample_once) {
  for (const WorkPlan& plan : plans) {
    Sampler sampler = Sampler::make(plan, 1).value();
    for (std::uint64_t number : {0U, 1U, 5U}) {
      std::vector<std::uint32_t> samples = epoch(sampler, number);
      std::sort(samples.begin(), samples.end());
      BOOST_REQUIRE(samples.size() == plan.samples);
      for (std::uint32_t i = 0; i < plan.samples; ++i) BOOST_REQUIRE(samples[i] == i);
    }
  }
}

BOOST_AUTO_TEST_CASE(blocks_are_full_but_for_the_last) {
  Sampler sampler = Sampler::make({.samples = 103, .batch = 8, .block = 3}, 1).value();
  for (std::uint64_t k : {0U, 11U, 13U, 24U}) {
    BOOST_TEST(sampler.samples_of(k, 1).size() == 3U);
    BOOST_TEST(sampler.samples_of(k, 2).size() == 2U);
  }
  BOOST_TEST(sampler.samples_of(25, 2).size() == 1U);
}

BOOST_AUTO_TEST_CASE(adjacent_blocks_come_as_one_span) {
  Sampler sampler = Sampler::make({.samples = 103, .batch = 50, .block = 16}, 1).value();
  const auto all = sampler.samples_of(1, 0, sampler.plan().blocks_in(1));
  BOOST_TEST(all.size() == 50U);
  const auto middle = sampler.samples_of(1, 1, 2);
  BOOST_TEST((middle.data() == all.data() + 16));
  BOOST_TEST(middle.size() == 32U);
}

// Goal: workers that come late, go back or jump ahead see the same samples.
BOOST_AUTO_TEST_CASE(the_answer_does_not_depend_on_earlier_questions) {
  Sampler forward = Sampler::make(plans[0], 1).value();
  const auto first = epoch(forward, 0);
  const auto second = epoch(forward, 1);
  const auto third = epoch(forward, 2);
  BOOST_TEST((first != second));
  BOOST_TEST((second != third));
  Sampler backward = Sampler::make(plans[0], 1).value();
  BOOST_TEST((epoch(backward, 2) == third));
  BOOST_TEST((epoch(backward, 0) == first));
  BOOST_TEST((epoch(backward, 1) == second));
  BOOST_TEST((epoch(backward, 0) == first));
}

BOOST_AUTO_TEST_CASE(samples_stay_valid_while_the_next_epoch_is_read) {
  Sampler sampler = Sampler::make(plans[0], 1).value();
  const auto kept = sampler.samples_of(12, 0);
  const std::vector<std::uint32_t> copy(kept.begin(), kept.end());
  sampler.samples_of(13, 0);
  sampler.samples_of(12, 1);
  sampler.samples_of(14, 0);
  BOOST_TEST(std::equal(copy.begin(), copy.end(), kept.begin()));
  BOOST_TEST((sampler.samples_of(12, 0).data() == kept.data()));
}

BOOST_AUTO_TEST_CASE(seeds_differ_and_impossible_sizes_are_refused) {
  const WorkPlan plan{.samples = 100, .batch = 10, .block = 5};
  Sampler one = Sampler::make(plan, 1).value();
  Sampler two = Sampler::make(plan, 2).value();
  BOOST_TEST((epoch(one, 0) != epoch(two, 0)));
  BOOST_TEST(!Sampler::make({.samples = 0, .batch = 1, .block = 1}, 1));
  BOOST_TEST(!Sampler::make({.samples = 1, .batch = 0, .block = 1}, 1));
  BOOST_TEST(!Sampler::make({.samples = 1, .batch = 1, .block = 0}, 1));
  BOOST_TEST(!Sampler::make({.samples = std::uint64_t{1} << 32, .batch = 1, .block = 1}, 1));
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/data/sampler.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime;
using namespace slime::trainer;

namespace {

std::vector<std::uint32_t> epoch(Sampler& sampler, std::uint64_t number) {
  std::vector<std::uint32_t> samples;
  const std::uint64_t iterations = sampler.iterations_per_epoch();
  for (std::uint64_t k = number * iterations; k < (number + 1) * iterations; ++k)
    for (std::uint32_t block = 0; block < sampler.blocks_in(k); ++block) {
      const auto part = sampler.samples_of(k, block);
      samples.insert(samples.end(), part.begin(), part.end());
    }
  return samples;
}

constexpr Sampler::Settings settings[] = {
    {.samples = 103, .batch = 8, .block = 3, .seed = 1},
    {.samples = 103, .batch = 8, .block = 16, .seed = 1},
    {.samples = 96, .batch = 8, .block = 4, .seed = 2},
    {.samples = 7, .batch = 100, .block = 2, .seed = 3},
    {.samples = 1, .batch = 1, .block = 1, .seed = 4},
    {.samples = 60'000, .batch = 256, .block = 16, .seed = 5},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sampler_test)

BOOST_AUTO_TEST_CASE(every_epoch_uses_every_sample_once) {
  for (const Sampler::Settings& setting : settings) {
    Sampler sampler = Sampler::make(setting).value();
    for (std::uint64_t number : {0U, 1U, 5U}) {
      std::vector<std::uint32_t> samples = epoch(sampler, number);
      std::sort(samples.begin(), samples.end());
      BOOST_REQUIRE(samples.size() == setting.samples);
      for (std::uint32_t i = 0; i < setting.samples; ++i) BOOST_REQUIRE(samples[i] == i);
    }
  }
}

BOOST_AUTO_TEST_CASE(batches_and_blocks_are_full_but_for_the_last) {
  Sampler sampler = Sampler::make({.samples = 103, .batch = 8, .block = 3}).value();
  BOOST_TEST(sampler.iterations_per_epoch() == 13U);
  for (std::uint64_t k : {0U, 11U, 13U, 24U}) {
    BOOST_TEST(sampler.samples_in(k) == 8U);
    BOOST_TEST(sampler.blocks_in(k) == 3U);
    BOOST_TEST(sampler.samples_of(k, 1).size() == 3U);
    BOOST_TEST(sampler.samples_of(k, 2).size() == 2U);
  }
  BOOST_TEST(sampler.samples_in(12) == 7U);
  BOOST_TEST(sampler.samples_of(25, 2).size() == 1U);
  BOOST_TEST(sampler.epoch_of(12) == 0U);
  BOOST_TEST(sampler.epoch_of(13) == 1U);
  BOOST_TEST(sampler.samples_before(12) == 96U);
  BOOST_TEST(sampler.samples_before(13) == 103U);
  BOOST_TEST(sampler.samples_before(14) == 111U);
}

BOOST_AUTO_TEST_CASE(adjacent_blocks_come_as_one_span) {
  Sampler sampler = Sampler::make({.samples = 103, .batch = 50, .block = 16}).value();
  const auto all = sampler.samples_of(1, 0, sampler.blocks_in(1));
  BOOST_TEST(all.size() == 50U);
  const auto middle = sampler.samples_of(1, 1, 2);
  BOOST_TEST((middle.data() == all.data() + 16));
  BOOST_TEST(middle.size() == 32U);
}

// Goal: workers that come late, go back or jump ahead see the same samples.
BOOST_AUTO_TEST_CASE(the_answer_does_not_depend_on_earlier_questions) {
  Sampler forward = Sampler::make(settings[0]).value();
  const auto first = epoch(forward, 0);
  const auto second = epoch(forward, 1);
  const auto third = epoch(forward, 2);
  BOOST_TEST((first != second));
  BOOST_TEST((second != third));
  Sampler backward = Sampler::make(settings[0]).value();
  BOOST_TEST((epoch(backward, 2) == third));
  BOOST_TEST((epoch(backward, 0) == first));
  BOOST_TEST((epoch(backward, 1) == second));
  BOOST_TEST((epoch(backward, 0) == first));
}

BOOST_AUTO_TEST_CASE(samples_stay_valid_while_the_next_epoch_is_read) {
  Sampler sampler = Sampler::make(settings[0]).value();
  const auto kept = sampler.samples_of(12, 0);
  const std::vector<std::uint32_t> copy(kept.begin(), kept.end());
  sampler.samples_of(13, 0);
  sampler.samples_of(12, 1);
  sampler.samples_of(14, 0);
  BOOST_TEST(std::equal(copy.begin(), copy.end(), kept.begin()));
  BOOST_TEST((sampler.samples_of(12, 0).data() == kept.data()));
}

BOOST_AUTO_TEST_CASE(seeds_differ_and_zero_sizes_are_refused) {
  Sampler one = Sampler::make({.samples = 100, .batch = 10, .block = 5, .seed = 1}).value();
  Sampler two = Sampler::make({.samples = 100, .batch = 10, .block = 5, .seed = 2}).value();
  BOOST_TEST((epoch(one, 0) != epoch(two, 0)));
  BOOST_TEST(!Sampler::make({.samples = 0, .batch = 1, .block = 1}));
  BOOST_TEST(!Sampler::make({.samples = 1, .batch = 0, .block = 1}));
  BOOST_TEST(!Sampler::make({.samples = 1, .batch = 1, .block = 0}));
}

BOOST_AUTO_TEST_SUITE_END()

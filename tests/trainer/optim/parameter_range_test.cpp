#include "trainer/optim/parameter_range.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(parameter_range_test)

BOOST_AUTO_TEST_CASE(ranges_cover_the_model_evenly_on_block_boundaries) {
  for (std::size_t parameters : {1UL, parameter_block, parameter_block + 1, 535'818UL})
    for (std::size_t shards = 1; shards <= 40; ++shards) {
      const auto ranges = cut_into_shards(parameters, shards);
      BOOST_REQUIRE(ranges.size() == shards);
      std::size_t next = 0, smallest = parameters, largest = 0;
      for (const ParameterRange& range : ranges) {
        BOOST_TEST(range.first == next);
        next += range.count;
        BOOST_TEST((next % parameter_block == 0 || next == parameters));
        const std::size_t blocks = (range.count + parameter_block - 1) / parameter_block;
        smallest = std::min(smallest, blocks);
        largest = std::max(largest, blocks);
      }
      BOOST_TEST(next == parameters);
      BOOST_TEST(largest - smallest <= 1U);
    }
}

BOOST_AUTO_TEST_CASE(as_many_shards_are_needed_as_keep_each_small_enough) {
  for (std::size_t parameters : {1UL, parameter_block, parameter_block + 1, 535'818UL})
    for (std::size_t most : {parameter_block, parameter_block + 1, 100'000UL, 1'000'000UL}) {
      const std::size_t needed = shards_needed(parameters, most);
      BOOST_TEST(largest_range(parameters, needed) <= most);
      if (needed > 1) BOOST_TEST(largest_range(parameters, needed - 1) > most);
    }
}

BOOST_AUTO_TEST_SUITE_END()

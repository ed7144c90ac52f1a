#include "trainer/sync/block_changes.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "trainer/optim/parameter_range.hpp"

using namespace slime::trainer;

namespace block_changes_test {

using Blocks = std::vector<bool>;

// Three blocks, the last one of a single parameter, with one slot.
struct Watched {
  void write(std::size_t block, float value, float slot) {
    const std::size_t first = block * parameter_block;
    const std::span<float> slots(slot_.data() + first, block < 2 ? parameter_block : 1);
    changes.watch(block, {values_.data() + first, slots.size()}, std::span(&slots, 1), [&] {
      values_[first] = value;
      slot_[first] = slot;
    });
  }

  BlockChanges changes{2 * parameter_block + 1};

 private:
  std::vector<float> values_ = std::vector<float>(2 * parameter_block + 1);
  std::vector<float> slot_ = values_;
};

}  // namespace block_changes_test

BOOST_FIXTURE_TEST_SUITE(block_changes_test, Watched)

BOOST_AUTO_TEST_CASE(what_is_not_touched_or_not_altered_is_unchanged) {
  const auto start = changes.mark();
  BOOST_TEST((changes.unchanged_since(start) == Blocks{true, true, true}));
  write(0, 1, 0);
  write(1, 0, 0);
  write(2, 0, 1);
  BOOST_TEST((changes.unchanged_since(start) == Blocks{false, true, false}));
}

// Goal: bits count, not numbers.
BOOST_AUTO_TEST_CASE(another_zero_is_a_change_and_the_same_nan_is_none) {
  write(0, std::numeric_limits<float>::quiet_NaN(), 0);
  const auto start = changes.mark();
  write(0, std::numeric_limits<float>::quiet_NaN(), 0);
  write(1, -0.0F, 0);
  BOOST_TEST((changes.unchanged_since(start) == Blocks{true, false, true}));
}

// Goal: each moment has its own answer, whatever was marked later, for the newest part may not have
// been written. Method: one block changes before the second mark, one after, one in both.
BOOST_AUTO_TEST_CASE(marks_are_independent) {
  write(0, 1, 0);  // Before anybody asks.
  const auto first = changes.mark();
  write(1, 1, 0);
  write(2, 1, 0);
  const auto second = changes.mark();
  write(0, 2, 0);
  write(2, 2, 0);
  BOOST_TEST((changes.unchanged_since(first) == Blocks{false, false, false}));
  BOOST_TEST((changes.unchanged_since(second) == Blocks{false, true, false}));
  const auto third = changes.mark();
  BOOST_TEST((changes.unchanged_since(second) == Blocks{false, true, false}));
  BOOST_TEST((changes.unchanged_since(third) == Blocks{true, true, true}));
}

// Goal: a block that changed and changed back is not taken for what it was.
BOOST_AUTO_TEST_CASE(a_change_is_not_forgotten) {
  const auto start = changes.mark();
  write(0, 1, 0);
  write(0, 0, 0);
  BOOST_TEST((changes.unchanged_since(start) == Blocks{false, true, true}));
}

BOOST_AUTO_TEST_SUITE_END()

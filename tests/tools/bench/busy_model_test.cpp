#include "tools/bench/busy_model.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "storage/part_record.hpp"

using namespace slime::bench;

BOOST_AUTO_TEST_SUITE(busy_model_test)

// Goal: a copy holds each block as it was between two gradients. Method: in a block, numbers whose
// gradients are alike are alike, which they are not while one is being applied.
BOOST_AUTO_TEST_CASE(a_copy_is_made_between_two_gradients) {
  constexpr std::size_t block = slime::storage::block_parameters;
  Model model(6 * block + 100), copy(model.values.size());
  BusyModel busy(model, 2);
  for (int i = 0; i < 20; ++i) {
    busy.copy_to(copy);
    for (std::size_t at = 0; at < copy.values.size(); at += block) {
      const std::size_t length = std::min(block, copy.values.size() - at);
      std::set<float> values, momenta;
      for (std::size_t same = 0; same < length; same += 17) {
        values.insert(copy.values[at + same]);
        momenta.insert(copy.momentum[at + same]);
      }
      BOOST_TEST(values.size() == 1u);
      BOOST_TEST(momenta.size() == 1u);
    }
  }
  const std::uint64_t steps = busy.steps();
  while (busy.steps() == steps) std::this_thread::yield();
}

BOOST_AUTO_TEST_SUITE_END()

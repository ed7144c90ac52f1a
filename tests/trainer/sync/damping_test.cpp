#include "trainer/sync/damping.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(damping_test)

BOOST_AUTO_TEST_CASE(updates_of_this_iteration_and_the_next_count_in_full) {
  BOOST_TEST(damping(0) == 1.0);
  BOOST_TEST(damping(1) == 1.0);
}

BOOST_AUTO_TEST_CASE(later_updates_count_inversely_to_their_delay) {
  for (std::uint64_t delay = 2; delay < 1000; ++delay) {
    BOOST_TEST(damping(delay) == 1.0 / static_cast<double>(delay));
    BOOST_TEST(damping(delay) < damping(delay - 1));
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "runtime/base/clock.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;

BOOST_AUTO_TEST_SUITE(clock_test)

BOOST_AUTO_TEST_CASE(seconds_round_trip) {
  BOOST_TEST(to_seconds(from_seconds(1.5)) == 1.5);
  BOOST_TEST(from_seconds(0.25).count() == 250'000'000);
}

BOOST_AUTO_TEST_CASE(the_clock_never_goes_back) {
  const Instant first = monotonic_now();
  BOOST_TEST((monotonic_now() >= first));
}

BOOST_AUTO_TEST_SUITE_END()

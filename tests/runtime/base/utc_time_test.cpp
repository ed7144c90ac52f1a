#include "runtime/base/utc_time.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

using namespace slime;

BOOST_AUTO_TEST_SUITE(utc_time_test)

BOOST_AUTO_TEST_CASE(a_moment_is_written_in_utc) {
  BOOST_TEST(utc_text(0) == "1970-01-01 00:00:00 UTC");
  BOOST_TEST(utc_text(1'780'000'000'999'999) == "2026-05-28 20:26:40 UTC");
  BOOST_TEST(utc_text(951'827'696'000'000) == "2000-02-29 12:34:56 UTC");
  BOOST_TEST(utc_text(1'780'000'000'000'000, "%Y%m%d-%H%M%S") == "20260528-202640");
}

// Goal: times come from files and other machines, and may be anything.
BOOST_AUTO_TEST_CASE(a_moment_that_cannot_be_is_the_nearest_that_can) {
  using limits = std::numeric_limits<std::int64_t>;
  BOOST_TEST(utc_text(-1) == "1970-01-01 00:00:00 UTC");
  BOOST_TEST(utc_text(limits::min()) == "1970-01-01 00:00:00 UTC");
  BOOST_TEST(utc_text(limits::max()) == "9999-12-31 23:59:59 UTC");
}

BOOST_AUTO_TEST_SUITE_END()

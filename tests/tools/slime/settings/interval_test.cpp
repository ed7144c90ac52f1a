#include "tools/slime/settings/interval.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(interval_test)

BOOST_AUTO_TEST_CASE(a_bracket_includes_its_bound_and_a_parenthesis_does_not) {
  const Interval interval = Interval::parse("(0, 1]").value();
  BOOST_TEST(!interval.contains(0));
  BOOST_TEST(interval.contains(1e-300));
  BOOST_TEST(interval.contains(1));
  BOOST_TEST(!interval.contains(1.0000001));
  const Interval open = Interval::parse("[1, inf)").value();
  BOOST_TEST(open.contains(1));
  BOOST_TEST(!open.contains(std::numeric_limits<double>::infinity()));
  BOOST_TEST(!open.contains(std::numeric_limits<double>::quiet_NaN()));
}

BOOST_AUTO_TEST_CASE(anything_else_is_no_interval) {
  for (const char* text :
       {"", "[1]", "1, 2", "[1, x]", "[2, 1]", "[1, 2", "[1 2]", "[, 2]", "[nan, 2]"})
    BOOST_TEST(!Interval::parse(text), text);
}

BOOST_AUTO_TEST_SUITE_END()

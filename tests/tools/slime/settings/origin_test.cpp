#include "tools/slime/settings/origin.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(origin_test)

BOOST_AUTO_TEST_CASE(an_origin_says_where_to_look) {
  const Origin file{Origin::Source::file, "job.toml", 3, 11};
  BOOST_TEST(to_string(file) == "job.toml:3");
  BOOST_TEST(position(file) == "job.toml:3:11");
  const Origin variable{Origin::Source::environment, "SLIME_WORKERS", 0, 0};
  BOOST_TEST(to_string(variable) == "environment SLIME_WORKERS");
  BOOST_TEST(position(variable) == "SLIME_WORKERS");
  const Origin flag{Origin::Source::flag, "--set workers", 0, 0};
  BOOST_TEST(to_string(flag) == "flag --set workers");
  // What stands behind a position names the setting.
  BOOST_TEST(position(flag) == "--set");
  BOOST_TEST(to_string(Origin()) == "default");
}

BOOST_AUTO_TEST_SUITE_END()

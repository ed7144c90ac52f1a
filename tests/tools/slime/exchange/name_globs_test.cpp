#include "tools/slime/exchange/name_globs.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(name_globs_test)

BOOST_AUTO_TEST_CASE(names_match_as_in_a_shell) {
  const NameGlobs globs({"0.*", "*.bias"});
  BOOST_TEST(globs.match("0.weight"));
  BOOST_TEST(globs.match("1.bias"));
  BOOST_TEST(!globs.match("1.weight"));
  BOOST_TEST(NameGlobs().match("anything"));
}

BOOST_AUTO_TEST_CASE(a_pattern_of_nothing_is_a_slip) {
  const std::vector<std::string> names{"0.weight", "0.bias"};
  BOOST_TEST(bool(NameGlobs({"0.*"}).check(names)));
  const Status slip = NameGlobs({"0.*", "0.wieght"}).check(names);
  BOOST_REQUIRE(!slip);
  BOOST_TEST((slip.error().code == Errc::invalid_argument));
  BOOST_TEST(slip.error().context.find("did you mean \"0.weight\"?") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

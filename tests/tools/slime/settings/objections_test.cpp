#include "tools/slime/settings/objections.hpp"

#include <array>
#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(objections_test)

BOOST_AUTO_TEST_CASE(an_error_starts_where_the_setting_was_set) {
  const Origins origins{{"batch", {Origin::Source::file, "a.toml", 3, 9}}};
  const Objections objections(origins);
  const Error placed = objections.broken("batch", "is odd");
  BOOST_TEST((placed.code == Errc::invalid_argument));
  BOOST_TEST(placed.context == "a.toml:3:9: batch: is odd");
  BOOST_TEST(objections.broken("block", "is odd").context == "block: is odd");
}

BOOST_AUTO_TEST_CASE(an_unknown_word_gets_the_nearest_one) {
  const Origins origins;
  const std::array<std::string_view, 2> words{"equal", "adapt_fr"};
  const Objections objections(origins);
  BOOST_TEST(bool(objections.known_word("policy", "equal", words)));
  const Status unknown = objections.known_word("policy", "equla", words);
  BOOST_REQUIRE(!unknown);
  BOOST_TEST(unknown.error().context.find("\"equla\" is unknown; did you mean \"equal\"?") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

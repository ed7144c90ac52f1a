#include "tools/slime/utf8.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(utf8_test)

BOOST_AUTO_TEST_CASE(a_valid_sequence_has_its_length) {
  BOOST_TEST(utf8_length("a") == 1u);
  BOOST_TEST(utf8_length("\xc3\xa9x") == 2u);
  BOOST_TEST(utf8_length("\xe2\x82\xac") == 3u);
  BOOST_TEST(utf8_length("\xf0\x9f\x98\x80") == 4u);
  BOOST_TEST(utf8_length(utf8_replacement) == 3u);
}

BOOST_AUTO_TEST_CASE(what_is_none_has_no_length) {
  // A byte that only continues, an overlong form, a surrogate, beyond Unicode, and a cut one.
  for (const char* bad : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    BOOST_TEST(utf8_length(bad) == 0u);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf8_are_found_and_replaced) {
  BOOST_TEST(utf8_prefix("") == 0u);
  BOOST_TEST(utf8_prefix("a\xc3\xa4") == 3u);
  BOOST_TEST(utf8_prefix("a\xc3") == 1u);
  BOOST_TEST(utf8_text("a\xc3\xa4") == "a\xc3\xa4");
  BOOST_TEST(utf8_text("\xff"
                       "a\xe2\x82") ==
             "\xef\xbf\xbd"
             "a\xef\xbf\xbd\xef\xbf\xbd");
  BOOST_TEST(utf8_text("").empty());
}

BOOST_AUTO_TEST_SUITE_END()

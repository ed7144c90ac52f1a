#include "tools/slime/json_text.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(json_text_test)

BOOST_AUTO_TEST_CASE(text_is_quoted_so_that_it_stays_one_line_of_valid_utf8) {
  BOOST_TEST(json_quote("a/b") == "\"a/b\"");
  BOOST_TEST(json_quote("a\"b\\c\n") == "\"a\\\"b\\\\c\\u000a\"");
  BOOST_TEST(json_quote("µ€😀") == "\"µ€😀\"");
  BOOST_TEST(json_quote("\xff\xc3") == "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  // A surrogate and an overlong form, byte by byte.
  BOOST_TEST(json_quote("\xed\xa0\x80").size() == 2u + 9u);
  BOOST_TEST(json_quote("\xc0\xaf").size() == 2u + 6u);
}

BOOST_AUTO_TEST_CASE(numbers_read_back_and_the_non_finite_are_null) {
  BOOST_TEST(json_number(0.1) == "0.1");
  BOOST_TEST(json_number(3) == "3");
  BOOST_TEST(json_number(std::numeric_limits<double>::quiet_NaN()) == "null");
  BOOST_TEST(json_number(std::numeric_limits<double>::infinity()) == "null");
}

BOOST_AUTO_TEST_CASE(fields_keep_their_order) {
  const std::string object = JsonObject()
                                 .boolean("z", true)
                                 .text("a", "x")
                                 .number("n", 18446744073709551615u)
                                 .null("none")
                                 .raw("list", "[1]")
                                 .str();
  BOOST_TEST(object == R"({"z":true,"a":"x","n":18446744073709551615,"none":null,"list":[1]})");
  BOOST_TEST(JsonObject().str() == "{}");
}

BOOST_AUTO_TEST_SUITE_END()

#include "runtime/base/error.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;

BOOST_AUTO_TEST_SUITE(error_test)

BOOST_AUTO_TEST_CASE(a_result_holds_a_value_or_an_error) {
  const Result<int> good = 3;
  const Result<int> bad = Error{Errc::timeout, "asking"};
  BOOST_TEST(bool(good));
  BOOST_TEST(good.value() == 3);
  BOOST_TEST(!bad);
  BOOST_TEST(to_string(bad.error()) == "timeout: asking");
}

BOOST_AUTO_TEST_CASE(a_text_is_shortened_between_two_characters) {
  BOOST_TEST(shortened("eight ch", 8) == "eight ch");
  BOOST_TEST(shortened("nine char", 8) == "nine ...");
  BOOST_TEST(shortened("\xc3\xa9t\xc3\xa9\xc3\xa9\xc3\xa9", 7) == "\xc3\xa9t...");
  BOOST_TEST(shortened(std::string(9, '\x80'), 8) == "...");
}

BOOST_AUTO_TEST_CASE(every_code_has_a_name_of_its_own) {
  for (std::uint8_t code = 1; code <= 13; ++code)
    BOOST_TEST(to_string(static_cast<Errc>(code)) != "unknown");
  BOOST_TEST(to_string(static_cast<Errc>(0)) == "unknown");
  BOOST_TEST(to_string(static_cast<Errc>(14)) == "unknown");
}

BOOST_AUTO_TEST_SUITE_END()

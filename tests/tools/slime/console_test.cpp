#include "tools/slime/console.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

using namespace slime;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(console_test)

BOOST_AUTO_TEST_CASE(an_error_is_one_line_and_an_exit_code) {
  std::ostringstream out, err;
  const Environment none;
  const ExitCode code =
      report({out, err, none}, "train", {Errc::corruption, "loading a\nb: bad checksum"}, false);
  BOOST_TEST((code == ExitCode::corrupt));
  BOOST_TEST(err.str() == "slime train: loading a b: bad checksum\n");
  BOOST_TEST(out.str().empty());
}

BOOST_AUTO_TEST_CASE(a_script_gets_the_error_as_json_as_well) {
  std::ostringstream out, err;
  const Environment none;
  report({out, err, none}, "stop", {Errc::not_found, "no cluster"}, true);
  BOOST_TEST(out.str() ==
             "{\"ok\":false,\"error\":\"not_found\",\"exit_code\":4,\"message\":\"no cluster\"}\n");
  BOOST_TEST(err.str() == "slime stop: no cluster\n");
}

BOOST_AUTO_TEST_CASE(every_error_has_an_exit_code_that_is_not_zero) {
  for (std::uint8_t code = 1; code <= 11; ++code)
    BOOST_TEST((exit_code(static_cast<Errc>(code)) != ExitCode::ok));
}

BOOST_AUTO_TEST_SUITE_END()

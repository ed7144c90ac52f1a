#include "tools/slime/arguments.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <vector>

using namespace slime::tools;

namespace arguments_test {

struct OneFlag {
  std::ostringstream out, err;
  Environment environment;
  CLI::App parser;
  int count = 7;
  double pause_s = 0;
  std::string file;
  bool json = false;

  OneFlag() {
    parser.add_option("--count", count, "how many")->type_name("N")->capture_default_str();
    parser.add_option("--pause", pause_s, "how long")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.0, 60.0));
    parser.add_option("file", file, "which");
    parser.add_flag("--json", json, "as JSON");
  }
  std::optional<ExitCode> take(const std::vector<std::string>& arguments) {
    return parse(parser, "test", arguments, {out, err, environment});
  }
  bool complains(std::string_view text) const { return err.str().find(text) != std::string::npos; }
};

}  // namespace arguments_test

BOOST_FIXTURE_TEST_SUITE(arguments_test, OneFlag)

BOOST_AUTO_TEST_CASE(good_arguments_land_in_their_variables) {
  BOOST_TEST(!take({"--count", "3", "a.toml"}));
  BOOST_TEST(count == 3);
  BOOST_TEST(file == "a.toml");
}

BOOST_AUTO_TEST_CASE(help_is_printed_on_standard_output) {
  BOOST_TEST((take({"--help"}) == ExitCode::ok));
  BOOST_TEST(out.str().find("how many") != std::string::npos);
  BOOST_TEST(out.str().find("--count N (default 7)") != std::string::npos, out.str());
  BOOST_TEST(out.str().find("--pause SECONDS ") != std::string::npos, out.str());
}

BOOST_AUTO_TEST_CASE(an_unknown_flag_is_answered_with_the_nearest) {
  BOOST_TEST((take({"--cuont=3"}) == ExitCode::usage));
  BOOST_TEST(complains("slime test: there is no flag --cuont; did you mean \"--count\"?"));
}

BOOST_AUTO_TEST_CASE(a_bad_value_is_told_by_name_and_as_json) {
  BOOST_TEST((take({"--json", "--count", "three"}) == ExitCode::usage));
  BOOST_TEST(complains("--count"));
  BOOST_TEST(out.str().starts_with("{\"ok\":false"));
}

BOOST_AUTO_TEST_CASE(a_negative_number_is_no_flag) {
  BOOST_TEST((take({"--count", "-3", "a", "surplus"}) == ExitCode::usage));
  BOOST_TEST(complains("surplus"));
}

BOOST_AUTO_TEST_SUITE_END()

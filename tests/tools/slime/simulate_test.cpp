#include "tools/slime/simulate.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "tests/tools/slime/simulation/scenario_file.hpp"

using namespace slime;
using namespace slime::tests;
using tools::ExitCode;

namespace simulate_test {

struct Simulating : ScenarioFile {
  ExitCode run(const std::vector<std::string>& arguments) {
    out.str("");
    err.str("");
    return tools::run_simulate(arguments, {out, err, environment});
  }
  std::string scenario() const { return write("s.toml", sound).string(); }
  static bool is_one_line(const std::string& text) { return text.find('\n') + 1 == text.size(); }

  tools::Environment environment;
  std::ostringstream out, err;
};

}  // namespace simulate_test

BOOST_FIXTURE_TEST_SUITE(simulate_test, Simulating)

BOOST_AUTO_TEST_CASE(each_run_is_a_row_or_an_object) {
  BOOST_CHECK(run({scenario()}) == ExitCode::ok);
  BOOST_TEST(out.str().starts_with("mode "));
  BOOST_TEST(out.str().find("\nbsp ") != std::string::npos);
  BOOST_TEST(err.str() == "");
  BOOST_CHECK(run({scenario(), "--json", "--set", "iterations=3"}) == ExitCode::ok);
  BOOST_TEST(is_one_line(out.str()));
  BOOST_TEST(out.str().starts_with("{\"schema\":\"slime.v1\",\"ok\":true,\"scenario\":\"s\""));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_takes_one_line_and_the_code_for_it) {
  for (const char* set : {"compute.sample_us=1e300", "compute.noise=nan", "workers=-1",
                          "workers=four", "wrokers=2"}) {
    BOOST_CHECK(run({scenario(), "--set", set}) == ExitCode::usage);
    BOOST_TEST_MESSAGE(err.str());
    BOOST_TEST(is_one_line(err.str()));
    BOOST_TEST(err.str().starts_with("slime simulate: --set: "));
    BOOST_TEST(out.str() == "");
  }
  BOOST_CHECK(run({"absent.toml", "--json"}) == ExitCode::not_found);
  BOOST_TEST(out.str().starts_with("{\"ok\":false,\"error\":\"not_found\",\"exit_code\":4,"));
  BOOST_CHECK(run({}) == ExitCode::usage);
  BOOST_CHECK(run({"--help"}) == ExitCode::ok);
  BOOST_TEST(out.str().find("SCENARIO.toml") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_run_that_comes_to_a_standstill_is_said_to) {
  // All who are left cannot be reached any more.
  BOOST_CHECK(run({scenario(), "--set", "workers=1", "--set",
                   "link.partitions=[{at_seconds=0.1, for_seconds=1e6}]"}) == ExitCode::deadline);
  BOOST_TEST_MESSAGE(err.str());
  BOOST_TEST(err.str().find("bsp with adapt_fr was not done") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/simulation/scenario.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/simulation/scenario_file.hpp"

using namespace slime;
using namespace slime::tests;

BOOST_FIXTURE_TEST_SUITE(scenario_test, ScenarioFile)

BOOST_AUTO_TEST_CASE(a_scenario_is_called_as_its_file_and_flags_win) {
  const auto scenario = load(sound, {"iterations=5", "compute.noise=0.5"});
  BOOST_REQUIRE(bool(scenario));
  scenario->read([](schema::Scenario::Reader read) {
    BOOST_TEST(read.getName().cStr() == "s");
    BOOST_TEST(read.getWorkers() == 4U);
    BOOST_TEST(read.getIterations() == 5U);
    BOOST_TEST(read.getCompute().getNoise() == 0.5);
    BOOST_TEST(read.getRuns()[0].getMode().cStr() == "bsp");
  });
  BOOST_TEST(load(std::string("name = \"x\"\n") + sound)->read([](auto read) {
    return std::string(read.getName().cStr());
  }) == "x");
}

BOOST_AUTO_TEST_CASE(a_malformed_scenario_is_refused_with_its_place) {
  const auto refused = [this](const std::string& text, std::string_view why) {
    const std::string refusal = this->refusal(text + "\n" + sound);
    BOOST_TEST_MESSAGE(refusal);
    return refusal.find("s.toml:1:") != std::string::npos &&
           refusal.find(why) != std::string::npos && refusal.find('\n') == std::string::npos;
  };
  BOOST_TEST(refused("ssed = 1", "there is no setting \"ssed\"; did you mean \"seed\"?"));
  BOOST_TEST(refused("link.los = 1", "did you mean \"link.loss\"?"));
  BOOST_TEST(refused("seed = \"1\"", "seed must be a whole number; found the text"));
  BOOST_TEST(refused("seed = -1", "seed must be a whole number from 0"));
  BOOST_TEST(refused("compute.sample_us = 1e300", "compute.sample_us must be in (0, 1e9]"));
  BOOST_TEST(refused("compute.sample_us = nan", "compute.sample_us must be a finite number"));
  BOOST_TEST(refused("compute.sample_us = -1", "compute.sample_us must be in"));
  BOOST_TEST(refused("compute.speeds = [1, inf]", "compute.speeds must be a finite number"));
  BOOST_TEST(refused("compute.speeds = 1", "compute.speeds must be an array of numbers"));
  BOOST_TEST(refused("deaths = [{ wroker = 1 }]", "did you mean \"deaths.worker\"?"));
  BOOST_TEST(refused("deaths = [{ at_seconds = -2 }]", "deaths.at_seconds must be in"));
  BOOST_TEST(refused("compute.waves = [{ shape = \"saw\" }]", "must be one of square, diurnal"));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_none_is_refused_by_name) {
  const auto missing = tools::load_scenario(path() / "absent.toml", {}, tools::known_names());
  BOOST_REQUIRE(!missing);
  BOOST_CHECK(missing.error().code == Errc::not_found);
  BOOST_TEST(missing.error().context.find("absent.toml: there is no such file") !=
             std::string::npos);
  BOOST_TEST(refusal("").find("a scenario needs at least one [[runs]]") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

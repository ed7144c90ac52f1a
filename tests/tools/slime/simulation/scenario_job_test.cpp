#include "tools/slime/simulation/scenario_job.hpp"

#include <boost/test/unit_test.hpp>

#include "actors/training/job_parts.hpp"
#include "tests/tools/slime/simulation/scenario_file.hpp"

using namespace slime;
using namespace slime::tests;
using tools::emulation_of_scenario;
using tools::lifetimes_of;

namespace scenario_job_test {

using Scenario = schema::Scenario::Reader;

}  // namespace scenario_job_test

BOOST_FIXTURE_TEST_SUITE(scenario_job_test, ScenarioFile)

BOOST_AUTO_TEST_CASE(the_job_declares_what_the_scenario_does) {
  const auto scenario = load(std::string(sound) + "mode = \"ssp\"\nstaleness_max = 2\n",
                             {"compute.speeds=[1, 0.5]", "compute.fixed_us=7", "replicas=1",
                              "compute.stalls=[{worker=1, at_seconds=1, for_seconds=2}]"});
  scenario.value().read([](Scenario read) {
    BOOST_TEST(tools::samples_of(read) == 768u);
    const auto emulation = emulation_of_scenario(read).value();
    tools::job_of(read, read.getRuns()[0], emulation).read([&](schema::JobSpec::Reader job) {
      BOOST_TEST(job.getSync().getMode().cStr() == "ssp");
      BOOST_TEST(job.getSync().getStalenessMax() == 2u);
      BOOST_TEST(!job.getBalance().getFastReassignment());
      BOOST_TEST(job.getReplicas() == 1u);
      const auto declared = actors::emulation_of(job);
      BOOST_TEST(declared.speeds == emulation.speeds, boost::test_tools::per_element());
      BOOST_TEST(declared.fixed_us == 7);
      BOOST_TEST(declared.stalls.at(0).for_s == 2);
    });
  });
}

BOOST_AUTO_TEST_CASE(waves_are_steps_of_constant_speed) {
  const auto changes = [this](const std::string& wave) {
    return load(sound, {"compute.speeds=[2]", "compute.waves=[{worker=1, low=0.5, " + wave + "}]"})
        .value()
        .read([](Scenario read) { return emulation_of_scenario(read).value().changes; });
  };
  const auto square = changes("period_seconds=0.4, phase=0.75");
  BOOST_TEST(square.at(0).at_s == 0);
  BOOST_TEST(square.at(0).speed == 1);
  BOOST_TEST(square.at(1).at_s == 0.1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(square.at(1).speed == 2);
  const auto drift = changes("period_seconds=0.24, shape=\"drift\"");
  BOOST_TEST(drift.at(0).speed > drift.at(1).speed);
  BOOST_TEST(drift.back().speed == 1);
  BOOST_TEST(drift.size() == 25u);
  const auto day = changes("period_seconds=1, shape=\"diurnal\"");
  BOOST_TEST(day.at(0).speed > 1.98);
  BOOST_TEST(day.at(12).speed < 1.02);
}

BOOST_AUTO_TEST_CASE(who_dies_and_comes_back_lives_twice) {
  const auto scenario =
      load(sound, {"deaths=[{worker=1, at_seconds=9},"
                   "{worker=1, at_seconds=2, for_seconds=3}]",
                   "link.detection_seconds=1", "joins=[{worker=3, at_seconds=1}]"});
  const auto lives = scenario.value().read([](Scenario read) { return lifetimes_of(read); });
  BOOST_REQUIRE(lives.size() == 5u);
  BOOST_TEST(lives[1].death_s == 2);
  BOOST_TEST(lives[3].join_s == 1);
  BOOST_TEST(lives[4].join_s == 5);
  BOOST_TEST(lives[4].death_s == 9);
}

BOOST_AUTO_TEST_SUITE_END()

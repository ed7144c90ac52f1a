#include "tools/slime/simulation/simulated_run.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>

#include "tests/support/build_places.hpp"
#include "tests/tools/slime/simulation/scenario_file.hpp"
#include "tools/slime/simulation/run_table.hpp"

using namespace slime;
using namespace slime::tests;
namespace data = boost::unit_test::data;

namespace simulated_run_test {

using Sets = std::vector<std::string>;

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SLIME_SOURCE_DIR "/tools/scenarios"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

// What makes a scenario short; what happens in it later than that does not.
Sets short_form(const std::string& name) {
  if (name == "ten_thousand") return {"iterations=3", "workers=100", "batch=800"};
  if (name == "faults" || name == "lossy_link") return {};
  return {"iterations=12"};
}

std::vector<tools::SimulatedRun> runs_of(const runtime::Message<schema::Scenario>& scenario) {
  std::vector<tools::SimulatedRun> runs;
  scenario.read([&](schema::Scenario::Reader read) {
    for (const auto run : read.getRuns()) {
      auto result = tools::simulate(read, run);
      BOOST_REQUIRE_MESSAGE(result, (result ? "" : result.error().context));
      BOOST_TEST_MESSAGE(tools::run_row(*result));
      runs.push_back(std::move(result).value());
    }
  });
  return runs;
}

}  // namespace simulated_run_test

BOOST_FIXTURE_TEST_SUITE(simulated_run_test, ScenarioFile)

BOOST_DATA_TEST_CASE(every_shipped_scenario_runs, data::make(shipped()), name) {
  const auto scenario = tools::load_scenario(SLIME_SOURCE_DIR "/tools/scenarios/" + name + ".toml",
                                             short_form(name), tools::known_names());
  BOOST_REQUIRE_MESSAGE(scenario, (scenario ? "" : scenario.error().context));
  for (const auto& run : runs_of(*scenario)) {
    BOOST_TEST(run.makespan_ratio() >= 0.9);
    BOOST_TEST(run.idle_fraction >= 0);
    BOOST_TEST(run.idle_fraction < 1);
  }
}

// Goal: the same seed gives the same run, bit by bit; another one gives another.
BOOST_AUTO_TEST_CASE(a_run_replays_from_its_seed) {
  const std::string text = std::string(sound) +
                           "fast_reassignment = true\n[[runs]]\nmode = \"a_dsp\"\n"
                           "[compute]\nnoise = 0.2\nspeeds = [1, 0.5]\n"
                           "[link]\nloss = 0.01\ndelay_max_us = 500\n"
                           "[[deaths]]\nworker = 1\nat_seconds = 0.1\n";
  const auto first = runs_of(load(text).value());
  const auto second = runs_of(load(text).value());
  const auto other = runs_of(load(text, {"seed=2"}).value());
  for (std::size_t i = 0; i < first.size(); ++i) {
    BOOST_TEST(first[i].replay_hash == second[i].replay_hash);
    BOOST_TEST(first[i].seconds == second[i].seconds);
    BOOST_TEST(first[i].deliveries == second[i].deliveries);
    BOOST_TEST(first[i].replay_hash != other[i].replay_hash);
  }
}

// Goal: in exact time what is known exactly comes out exactly.
// Method: two equal workers and one of half their speed, no noise; equal shares take what the
// slowest takes.
BOOST_AUTO_TEST_CASE(equal_shares_take_what_the_slowest_worker_takes) {
  const auto runs = runs_of(load("workers = 3\niterations = 10\nbatch = 60\nblock = 1\n"
                                 "[compute]\nspeeds = [1, 1, 0.5]\n"
                                 "[[runs]]\npolicy = \"equal\"\n")
                                .value());
  BOOST_TEST(runs[0].oracle_seconds == 0.24, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(runs[0].seconds == 0.4, boost::test_tools::tolerance(1e-4));
  BOOST_TEST(runs[0].idle_fraction == 1.0 / 3, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(runs[0].samples_moved == 0u);
}

// Goal: standbys have machines of their own, are sent what is pushed, and compute nothing.
BOOST_AUTO_TEST_CASE(standbys_cost_messages_and_no_computing) {
  const std::string text = std::string(sound) + "[link]\ndelay_max_us = 100\n";
  const auto alone = runs_of(load(text, {"iterations=100"}).value()).front();
  const auto twice = runs_of(load(text, {"iterations=100", "replicas=1"}).value()).front();
  BOOST_TEST(twice.deliveries > alone.deliveries + 2 * 100);
  BOOST_TEST(twice.seconds > alone.seconds);
  BOOST_TEST(twice.seconds < 1.2 * alone.seconds);
}

// Goal: nobody reacts to what happens after the end.
BOOST_AUTO_TEST_CASE(a_change_after_the_end_is_none) {
  const auto changing = [this](const std::string& changes) {
    return runs_of(load(sound, {"compute.changes=[" + changes + "]"}).value()).front();
  };
  const std::string within = "{worker=1, at_seconds=0.001, speed=1}";
  const std::string after = "{worker=1, at_seconds=1000, speed=0.5}";
  BOOST_TEST(changing(within).reaction_iterations.value_or(0) == 1u);
  BOOST_TEST(changing(within + "," + after).reaction_iterations.value_or(0) == 1u);
  BOOST_TEST(!changing(after).changes);
}

BOOST_AUTO_TEST_SUITE_END()

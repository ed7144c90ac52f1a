#include "tools/slime/simulation/fault_plan.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/simulation/scenario_file.hpp"
#include "tools/slime/simulation/simulated_run.hpp"

using namespace slime;
using namespace slime::tests;

namespace {

using Scenario = schema::Scenario::Reader;

constexpr const char* exact =
    "workers = 4\niterations = 60\nbatch = 64\nblock = 1\nsettled = 1.2\n"
    "[link]\ndetection_seconds = 0.05\n[[runs]]\npolicy = \"adapt_fr\"\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(fault_plan_test, ScenarioFile)

BOOST_AUTO_TEST_CASE(everything_that_happens_at_a_moment_is_a_change) {
  const auto scenario = load(sound, {"compute.changes=[{worker=1, at_seconds=3, speed=2}]",
                                     "joins=[{worker=3, at_seconds=1}]",
                                     "deaths=[{worker=0, at_seconds=2, for_seconds=6}]",
                                     "link.partitions=[{worker=1, at_seconds=2, for_seconds=1}]"});
  const auto changes = scenario.value().read([](Scenario read) { return tools::changes_of(read); });
  BOOST_TEST(changes == std::vector<double>({1, 2, 3, 8}), boost::test_tools::per_element());
}

// Goal: who dies, comes back, joins or is cut off is missing for that long and no longer.
// Method: in exact time, by how long the run takes beyond the oracle, who is told of it beforehand.
BOOST_AUTO_TEST_CASE(a_run_survives_each_kind_of_fault) {
  for (const std::vector<std::string>& sets :
       {std::vector<std::string>{"deaths=[{worker=1, at_seconds=0.3}]"},
        std::vector<std::string>{"deaths=[{worker=1, at_seconds=0.3, for_seconds=0.3}]"},
        std::vector<std::string>{"joins=[{worker=3, at_seconds=0.2}]"},
        std::vector<std::string>{"link.partitions=[{worker=2, at_seconds=0.2, for_seconds=0.01}]"},
        std::vector<std::string>{"link.partitions=[{worker=2, at_seconds=0.2, for_seconds=0.4}]"}})
    load(exact, sets).value().read([&](Scenario read) {
      const auto run = tools::simulate(read, read.getRuns()[0]);
      BOOST_REQUIRE_MESSAGE(run, (run ? "" : run.error().context));
      BOOST_TEST_MESSAGE(sets[0] << ": " << run->makespan_ratio());
      BOOST_TEST(run->changes);
      BOOST_TEST(run->makespan_ratio() < 2);
    });
}

BOOST_AUTO_TEST_SUITE_END()

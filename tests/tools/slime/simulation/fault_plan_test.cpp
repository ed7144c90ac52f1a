#include "tools/slime/simulation/fault_plan.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/simulation/scenario_file.hpp"
#include "tools/slime/simulation/simulated_run.hpp"

using namespace slime;
using namespace slime::tests;

namespace fault_plan_test {

using Scenario = schema::Scenario::Reader;

constexpr const char* exact =
    "workers = 4\niterations = 300\nbatch = 64\nblock = 1\nsettled = 1.2\n"
    "[link]\ndetection_seconds = 0.05\n[[runs]]\npolicy = \"adapt_fr\"\n";

}  // namespace fault_plan_test

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
// Method: in exact time, by how long the run takes. All four of them need 4.8 s. One that is
// missing for 1.2 s makes that at least 5.1 s, one that never comes back 6 s from second 1.2 on
// and 6.4 s from the start on. Who is cut off and not yet missed is waited for, and a message that
// was lost is repeated after a second.
BOOST_AUTO_TEST_CASE(a_fault_costs_what_is_missing_while_it_lasts) {
  struct Case {
    std::vector<std::string> sets;
    double least_s, most_s;
  };
  for (const Case& fault :
       {Case{{"deaths=[{worker=1, at_seconds=1.2}]"}, 6, 6.25},
        Case{{"deaths=[{worker=1, at_seconds=1.2, for_seconds=1.2}]"}, 5.1, 5.25},
        Case{{"joins=[{worker=3, at_seconds=1.2}]"}, 5.1, 5.25},
        Case{{"link.partitions=[{worker=2, at_seconds=1.2, for_seconds=0.3}]",
              "link.detection_seconds=0.5"},
             5.05,
             5.25},
        Case{{"link.partitions=[{worker=2, at_seconds=1.2, for_seconds=1.2}]"}, 5.1, 5.25}})
    load(exact, fault.sets).value().read([&](Scenario read) {
      const auto run = tools::simulate(read, read.getRuns()[0]);
      BOOST_REQUIRE_MESSAGE(run, (run ? "" : run.error().context));
      BOOST_TEST_MESSAGE(fault.sets[0] << ": " << run->seconds);
      BOOST_TEST(run->changes);
      BOOST_TEST(run->seconds >= fault.least_s);
      BOOST_TEST(run->seconds <= fault.most_s);
    });
}

BOOST_AUTO_TEST_SUITE_END()

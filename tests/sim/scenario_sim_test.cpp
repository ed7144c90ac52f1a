// What balancing and modes promise, in the scenarios that are shipped. Virtual time is exact, so
// these are numbers and not chances.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/support/build_places.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/simulation/run_table.hpp"
#include "tools/slime/simulation/scenario.hpp"
#include "tools/slime/simulation/simulated_run.hpp"

using namespace slime;
using namespace slime::tools;

namespace scenario_sim_test {

/// One run of a shipped scenario, by its mode, policy and fast reassignment.
SimulatedRun run(const std::string& name, const std::string& mode, const std::string& policy,
                 bool fast, const std::vector<std::string>& sets = {}) {
  const auto scenario =
      load_scenario(SLIME_SOURCE_DIR "/tools/scenarios/" + name + ".toml", sets, known_names());
  BOOST_REQUIRE_MESSAGE(scenario, (scenario ? "" : scenario.error().context));
  return scenario->read([&](schema::Scenario::Reader read) {
    for (const auto run : read.getRuns()) {
      if (run.getMode() != mode.c_str() || run.getPolicy() != policy.c_str() ||
          run.getFastReassignment() != fast)
        continue;
      auto result = simulate(read, run);
      BOOST_REQUIRE_MESSAGE(result, (result ? "" : result.error().context));
      BOOST_TEST_MESSAGE(name << " " << run_row(*result));
      return std::move(result).value();
    }
    BOOST_FAIL("the scenario has no such run");
    return SimulatedRun{};
  });
}

/// Iterations until a_dsp is back near the bound after a step: the median of nine seeds, because
/// noise decides how soon a single run is.
unsigned reaction_to_a_step(bool fast) {
  std::vector<unsigned> reactions;
  for (int seed = 1; seed <= 9; ++seed)
    reactions.push_back(run("step", "a_dsp", "adapt_fr", fast, {"seed=" + std::to_string(seed)})
                            .reaction_iterations.value_or(999));
  std::ranges::sort(reactions);
  return reactions[reactions.size() / 2];
}

}  // namespace scenario_sim_test

BOOST_AUTO_TEST_SUITE(scenario_sim_test)

// A check of the simulator: mean speed over least speed is 2.31, noise of 10 % adds next to nothing
// to the slowest's mean and lets a faster one be last now and then.
BOOST_AUTO_TEST_CASE(equal_shares_in_lock_step_wait_for_the_slowest) {
  const double ratio = run("unequal", "bsp", "equal", false).makespan_ratio();
  BOOST_TEST(ratio > 2.25);
  BOOST_TEST(ratio < 2.4);
}

BOOST_AUTO_TEST_CASE(adapt_fr_in_lock_step_waits_for_noise_alone) {
  BOOST_TEST(run("unequal", "bsp", "adapt_fr", false).makespan_ratio() <= 1.18);
}

BOOST_AUTO_TEST_CASE(fast_reassignment_helps_lock_step_against_noise) {
  BOOST_TEST(run("unequal", "bsp", "adapt_fr", true).makespan_ratio() <= 1.06);
}

BOOST_AUTO_TEST_CASE(a_dsp_is_near_the_bound) {
  BOOST_TEST(run("unequal", "a_dsp", "adapt_fr", false).makespan_ratio() <= 1.05);
  BOOST_TEST(run("unequal", "a_dsp", "adapt_fr", true).makespan_ratio() <= 1.04);
}

BOOST_AUTO_TEST_CASE(a_dsp_follows_a_step) {
  BOOST_TEST(reaction_to_a_step(false) <= 12u);
  BOOST_TEST(reaction_to_a_step(true) <= 5u);
}

BOOST_AUTO_TEST_CASE(adapt_fr_costs_nothing_between_equals) {
  const double equal = run("equal", "bsp", "equal", false).seconds;
  BOOST_TEST(run("equal", "bsp", "adapt_fr", false).seconds <= 1.01 * equal);
}

BOOST_AUTO_TEST_SUITE_END()

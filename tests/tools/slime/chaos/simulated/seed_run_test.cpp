#include "tools/slime/chaos/simulated/seed_run.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>

using namespace slime;
using namespace slime::tools;
namespace data = boost::unit_test::data;

namespace seed_run_test {

DrawRules rules(std::string_view only = {}) {
  DrawRules rules;
  for (const SimulatedFault& fault : simulated_faults())
    if (only.empty() || fault.name == only) rules.faults.push_back(&fault);
  return rules;
}

SeedRun runs(std::string_view only = {}, const PlantedBug* bug = nullptr) {
  return SeedRun(rules(only), bug, WorkFolder::create_in_memory().value());
}

/// The first seed in which a planted bug shows.
SeedOutcome found(SeedRun& runs) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SeedOutcome outcome = runs.run(seed).value();
    if (!outcome.ok()) return outcome;
  }
  return {};
}

}  // namespace seed_run_test

using namespace seed_run_test;

BOOST_AUTO_TEST_SUITE(seed_run_test)

// Goal: must show 5 of the issue, in small; the command runs thousands.
BOOST_AUTO_TEST_CASE(no_invariant_is_violated_in_200_seeds) {
  SeedRun all = runs();
  std::uint64_t deliveries = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto outcome = all.run(seed);
    BOOST_REQUIRE(bool(outcome));
    BOOST_TEST(outcome->ok(), outcome_text(*outcome));
    deliveries += outcome->deliveries;
  }
  BOOST_TEST(deliveries > 200'000U);
}

BOOST_AUTO_TEST_CASE(each_fault_alone_is_survived) {
  for (const SimulatedFault& fault : simulated_faults()) {
    SeedRun one = runs(fault.name);
    std::uint32_t struck = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const auto outcome = one.run(seed);
      BOOST_REQUIRE(bool(outcome));
      BOOST_TEST(outcome->ok(), outcome_text(*outcome));
      for (const auto& [name, count] : outcome->strikes) {
        BOOST_TEST(name == fault.name);
        struck += count;
      }
    }
    BOOST_TEST(struck > 0U, fault.name);
  }
}

// Goal: a seed is all that has to be kept of a run, whatever ran before in the same process.
BOOST_AUTO_TEST_CASE(a_seed_replays_to_the_last_delivery) {
  SeedRun first = runs();
  SeedRun second = runs();
  static_cast<void>(second.run(500));
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    BOOST_TEST((first.run(seed).value() == second.run(seed).value()), seed);
}

// Goal: what finds nothing may be something that looks at nothing.
BOOST_DATA_TEST_CASE(a_planted_bug_is_found_and_its_seed_replays,
                     data::xrange(planted_bugs().size()), number) {
  const PlantedBug& bug = planted_bugs()[number];
  SeedRun buggy = runs({}, &bug);
  const SeedOutcome outcome = found(buggy);
  BOOST_REQUIRE(!outcome.ok());
  BOOST_TEST_MESSAGE(outcome_text(outcome));
  SeedRun again = runs({}, &bug);
  BOOST_TEST((again.run(outcome.seed).value() == outcome));
  // Nothing but the bug is to blame.
  SeedRun sound = runs();
  BOOST_TEST(sound.run(outcome.seed).value().ok());
}

BOOST_AUTO_TEST_SUITE_END()

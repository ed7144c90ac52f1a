#include "tools/slime/chaos/simulated/simulated_faults.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/tools/slime/chaos/simulated/staged.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace simulated_faults_test {

/// The members some time after a fault; everything it undoes is undone by then.
std::string members_after(const SimulatedFault& fault, std::uint64_t seed) {
  Staged staged;
  Random random(seed);
  const bool struck = fault.strike(staged.stage, random);
  if (staged.stage.ended()) return "ended";
  staged.run(10s);
  return (struck ? "struck: " : "nobody: ") + staged.living();
}

}  // namespace simulated_faults_test

BOOST_AUTO_TEST_SUITE(simulated_faults_test)

// Goal: whatever a fault does, in the end there is a cluster again that a job can finish on.
BOOST_AUTO_TEST_CASE(each_strikes_and_leaves_a_head_workers_and_shards) {
  std::set<std::string_view> names;
  for (const SimulatedFault& fault : simulated_faults()) {
    BOOST_TEST(names.insert(fault.name).second);
    BOOST_TEST(!fault.doc.empty());
    int struck = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const std::string members = simulated_faults_test::members_after(fault, seed);
      struck += !members.starts_with("nobody");
      if (members == "ended") continue;
      for (const char* who : {"head", "worker-", "shard-"})
        BOOST_TEST(members.find(who) != std::string::npos, fault.name << ": " << members);
    }
    BOOST_TEST(struck > 0, fault.name);
  }
}

BOOST_AUTO_TEST_CASE(equal_numbers_have_equal_effects) {
  for (const SimulatedFault& fault : simulated_faults())
    BOOST_TEST(simulated_faults_test::members_after(fault, 5) ==
               simulated_faults_test::members_after(fault, 5));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/simulation/run_table.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

namespace run_table_test {

SimulatedRun run() {
  SimulatedRun run{.mode = "bsp", .policy = "equal"};
  run.seconds = 3;
  run.oracle_seconds = 2;
  run.replay_hash = 0xabc;
  run.decisions = {.count = 2, .total_s = 1e-4, .longest_s = 9e-5};
  return run;
}

}  // namespace run_table_test

BOOST_AUTO_TEST_SUITE(run_table_test)

BOOST_AUTO_TEST_CASE(a_script_gets_one_object_whose_measured_part_stands_alone) {
  const std::string line = run_json("unequal", run());
  BOOST_TEST(line.find('\n') == std::string::npos);
  for (const char* part :
       {"\"ok\":true,\"scenario\":\"unequal\",\"mode\":\"bsp\"", "\"makespan_ratio\":1.5,",
        "\"reaction_iterations\":null", "\"replay_hash\":\"0000000000000abc\"",
        "\"measured\":{\"decisions\":2,\"balancer_us_per_decision\":50,"})
    BOOST_TEST(line.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_CASE(people_get_a_table) {
  SimulatedRun told = run();
  BOOST_TEST(run_row(told).find(" 1.500 ") != std::string::npos);
  BOOST_TEST(run_row(told).find("never") == std::string::npos);
  told.changes = true;
  BOOST_TEST(run_row(told).find(" never ") != std::string::npos);
  told.reaction_iterations = 7;
  BOOST_TEST(run_row(told).find(" 7 ") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

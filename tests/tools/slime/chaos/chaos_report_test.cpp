#include "tools/slime/chaos/chaos_report.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/chaos/told_run.hpp"

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace chaos_report_test {

PlannedFault planned() {
  return {.number = 3,
          .fault = &fault_kinds()[0],
          .target = &fault_targets()[1],
          .pick = 7,
          .iteration = 120,
          .saving = true,
          .delay = 12ms};
}

InjectedFault injected() {
  return {.planned = planned(),
          .at_s = 30,
          .held_back_s = 2.5,
          .reached = 121,
          .while_saving = true,
          .done = "SIGKILL to shard-1 (pid 12)"};
}

ChaosOutcome outcome() {
  tests::ToldRun run;
  run.goes_well();
  ChaosOutcome made(run.trace);
  made.plan = tests::ToldRun::plan;
  made.planned = 1;
  made.injected.push_back(injected());
  made.ended_well = true;
  made.end = "exit code 0";
  made.seconds = 60;
  made.held_back_s = 2.5;
  return made;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace chaos_report_test

using namespace chaos_report_test;

BOOST_AUTO_TEST_SUITE(chaos_report_test)

BOOST_AUTO_TEST_CASE(a_plan_is_told_with_its_seed) {
  BOOST_TEST(plan_text(9, {planned()}) ==
             "plan of 1 faults, seed 9\n"
             "  #3 kill shard, pick 7: iteration 120, while saving, after 12 ms\n");
  BOOST_TEST(plan_json(9, {planned()}) ==
             R"({"plan":{"seed":9,"faults":[{"number":3,"fault":"kill","target":"shard","pick":7,)"
             R"("iteration":120,"saving":true,"delay_ms":12,"hold_ms":0}]}})");
}

BOOST_AUTO_TEST_CASE(a_fault_tells_whom_it_hit_and_when) {
  BOOST_TEST(injected_text(injected()) ==
             "30.0 s #3 kill shard: SIGKILL to shard-1 (pid 12) at iteration 121, while saving, "
             "2.5 s held back");
  BOOST_TEST(injected_json(injected()) ==
             R"({"injected":{"number":3,"fault":"kill","target":"shard","at_seconds":30,)"
             R"("held_back_seconds":2.5,"iteration":121,"while_saving":true,)"
             "\"done\":\"SIGKILL to shard-1 (pid 12)\"}}");
}

BOOST_AUTO_TEST_CASE(an_outcome_tells_of_each_invariant) {
  ChaosOutcome made = outcome();
  BOOST_TEST(!all_met(made));
  BOOST_TEST(has(outcome_text(made), "1 faults in 60.0 s, 2.0 a minute, 1 of them while a"));
  BOOST_TEST(has(outcome_text(made), "\nmet       job_finished: exit code 0 in 60.0 s, "));
  BOOST_TEST(has(outcome_text(made), "\nviolated  checkpoints_load: nobody looked\n"));
  BOOST_TEST(has(outcome_text(made), "\nvoid      parameters_as_undisturbed: only promised"));
  const std::string json = outcome_json(9, made);
  BOOST_TEST(has(json, R"({"ok":false,"seed":9,"planned":1,"injected":1,"while_saving":1,)"));
  BOOST_TEST(has(json, R"({"invariant":"checkpoints_load","verdict":"violated","evidence":"nob)"));

  made.checkpoints = Verification();
  made.checkpoints->checkpoints.push_back({.name = {.id = {1, 6}, .head = "head"}, .damage = {}});
  BOOST_TEST(all_met(made));
  BOOST_TEST(has(outcome_json(9, made), R"({"ok":true,)"));
}

BOOST_AUTO_TEST_SUITE_END()

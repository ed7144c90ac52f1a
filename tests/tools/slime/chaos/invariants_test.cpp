#include "tools/slime/chaos/invariants.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/tools/slime/chaos/told_run.hpp"

using namespace slime;
using namespace slime::tools;
using slime::tests::ToldRun;

namespace invariants_test {

using Kind = Verdict::Kind;

Verification kept(std::uint64_t iteration) {
  Verification found;
  found.stores.push_back({.name = "head", .damage = {}, .files = {}});
  found.checkpoints.push_back({.name = {.id = {1, iteration}, .head = "head"}, .damage = {}});
  return found;
}

ChaosOutcome sound() {
  ToldRun run;
  run.goes_well();
  ChaosOutcome outcome(run.trace);
  outcome.plan = ToldRun::plan;
  outcome.planned = 1;
  outcome.injected.push_back({.planned = {}, .done = "SIGKILL"});
  outcome.commands = 1;
  outcome.ended_well = true;
  outcome.end = "exit code 0";
  outcome.checkpoints = kept(6);
  outcome.expected_sha256 = "abc";
  outcome.directory.emplace().saw({});
  return outcome;
}

Verdict verdict(std::string_view name, const ChaosOutcome& outcome) {
  for (const Invariant& each : invariants())
    if (each.name == name) return each.check(outcome);
  throw std::runtime_error("no such invariant");
}

/// Only the invariant called `name` is violated, and says this of it.
void check_violated(const ChaosOutcome& outcome, std::string_view name, std::string_view evidence) {
  for (const Invariant& each : invariants()) {
    const Verdict found = each.check(outcome);
    BOOST_TEST((found.kind == Kind::violated) == (each.name == name), each.name);
    if (each.name == name)
      BOOST_TEST(found.evidence.find(evidence) != std::string::npos, found.evidence);
  }
}

/// The outcome of another record.
ChaosOutcome with_record(const ToldRun& run) {
  ChaosOutcome outcome = sound();
  outcome.trace = run.trace;
  return outcome;
}

}  // namespace invariants_test

using namespace invariants_test;

BOOST_AUTO_TEST_SUITE(invariants_test)

BOOST_AUTO_TEST_CASE(a_sound_run_meets_all_and_each_tells_its_evidence) {
  std::set<std::string_view> names;
  for (const Invariant& each : invariants()) {
    BOOST_TEST(names.insert(each.name).second);
    BOOST_TEST(!each.doc.empty());
    const Verdict found = each.check(sound());
    BOOST_TEST((found.kind == Kind::met), each.name << ": " << found.evidence);
    BOOST_TEST(!found.evidence.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_plan_that_was_not_carried_out) {
  ChaosOutcome outcome = sound();
  outcome.planned = 3;
  check_violated(outcome, "every_fault_injected", "1 of 3: the job ended first; give it more");
}

BOOST_AUTO_TEST_CASE(a_job_that_did_not_finish) {
  ChaosOutcome outcome = sound();
  outcome.ended_well = false;
  outcome.end = "exit code 1";
  check_violated(outcome, "job_finished", "exit code 1; iteration 6 of 6 was reached");
  ToldRun failed;
  failed.begins();
  failed.starts(0);
  failed.trains(0, 6);
  failed.saves(6);
  failed.ends(false);
  check_violated(with_record(failed), "job_finished", "out of paper");
  // What it had done by then is judged all the same.
  ToldRun killed;
  killed.begins();
  killed.starts(0);
  killed.trains(0, 4);
  BOOST_TEST(verdict("samples_applied_once", with_record(killed)).evidence ==
             "by groups, 3 of 3 iterations hold each of their samples once");
  killed.seals(0, 1, 2);
  BOOST_TEST((verdict("samples_applied_once", with_record(killed)).kind == Kind::violated));
  BOOST_TEST((verdict("parameters_as_undisturbed", with_record(killed)).kind == Kind::void_here));
}

BOOST_AUTO_TEST_CASE(a_sample_that_was_left_out) {
  ToldRun run;
  run.begins();
  run.starts(0);
  run.trains(0, 5);
  run.seals(0, 5, 7);
  run.saves(6);
  run.ends();
  check_violated(with_record(run), "samples_applied_once", "iteration 5 of epoch 2: 7 of 8");
  ChaosOutcome other = sound();
  other.plan.samples = 41;
  BOOST_TEST((verdict("samples_applied_once", other).kind == Kind::violated));
}

BOOST_AUTO_TEST_CASE(an_update_that_nobody_says_was_lost) {
  ToldRun run;
  run.begins();
  run.starts(0);
  run.trains(0, 3);
  run.starts(1);
  run.trains(1, 6);
  run.saves(6);
  run.ends();
  check_violated(with_record(run), "no_update_lost", "no rollback says why");
}

BOOST_AUTO_TEST_CASE(a_checkpoint_that_does_not_load) {
  ChaosOutcome outcome = sound();
  outcome.checkpoints->checkpoints.front().damage.push_back(
      {"shard-0", "", "", {}, 0, {Errc::corruption, "a byte differs"}});
  check_violated(outcome, "checkpoints_load", "iteration 6: a byte differs");

  outcome.checkpoints = kept(6);
  outcome.checkpoints->stores.front().damage = Error{Errc::corruption, "no bookkeeping"};
  check_violated(outcome, "checkpoints_load", "store head: no bookkeeping");

  outcome.checkpoints = kept(4);
  check_violated(outcome, "checkpoints_load", "that of iteration 6, committed last, is not there");

  outcome.checkpoints = Error{Errc::not_found, "no folder"};
  check_violated(outcome, "checkpoints_load", "no folder");
}

BOOST_AUTO_TEST_CASE(parameters_that_differ) {
  ChaosOutcome outcome = sound();
  outcome.expected_sha256 = "abd";
  check_violated(outcome, "parameters_as_undisturbed", "sha256 abc, undisturbed abd");
  outcome.expected_sha256.reset();
  BOOST_TEST((verdict("parameters_as_undisturbed", outcome).kind == Kind::void_here));
}

BOOST_AUTO_TEST_CASE(a_directory_that_shows_what_was) {
  ChaosOutcome outcome = sound();
  for (const std::uint64_t node : {1U, 2U, 1U})
    outcome.directory->saw(std::vector<DirectoryHistory::Binding>{{"a", {{node, 1}, 1, 20}}});
  check_violated(outcome, "directory_linearizable", "look 4: a went back to");
  outcome.directory.reset();
  BOOST_TEST((verdict("directory_linearizable", outcome).kind == Kind::void_here));
}

BOOST_AUTO_TEST_CASE(a_process_that_stays) {
  ChaosOutcome outcome = sound();
  outcome.left = {"worker-0"};
  check_violated(outcome, "no_process_left", "worker-0");
}

BOOST_AUTO_TEST_CASE(a_job_without_checkpoints_is_not_judged_by_them) {
  ToldRun run;
  run.begins();
  run.starts(0);
  run.trains(0, 6);
  run.ends();
  ChaosOutcome outcome = with_record(run);
  outcome.checkpoints = Error{Errc::not_found, "no folder"};
  BOOST_TEST((verdict("checkpoints_load", outcome).kind == Kind::void_here));
}

BOOST_AUTO_TEST_CASE(every_kind_of_verdict_has_a_name) {
  for (int kind = 0; kind <= 2; ++kind) BOOST_TEST(to_string(static_cast<Kind>(kind)) != "unknown");
}

BOOST_AUTO_TEST_SUITE_END()

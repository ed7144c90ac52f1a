#include "tools/slime/chaos/run_trace.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/chaos/told_run.hpp"

using namespace slime::tools;
using slime::tests::ToldRun;

namespace run_trace_test {

constexpr std::uint64_t all = 6;

void check_sound(const ToldRun& run, std::uint64_t untold = 0) {
  const SampleAccount account = run.trace.account(all);
  BOOST_TEST(account.exact == all - untold);
  BOOST_TEST(account.untold == untold);
  BOOST_TEST(account.wrong_count == 0U);
  for (const std::string& line : account.wrong) BOOST_TEST_MESSAGE(line);
  for (const std::string& line : run.trace.broken_promises()) BOOST_TEST_MESSAGE(line);
  BOOST_TEST(run.trace.broken_promises().empty());
}

void check_broken(const ToldRun& run, std::string_view how) {
  BOOST_REQUIRE(run.trace.broken_promises().size() == 1U);
  BOOST_TEST(run.trace.broken_promises().front() == how);
}

void check_wrong(const ToldRun& run, std::string_view how) {
  BOOST_REQUIRE(run.trace.account(all).wrong.size() == 1U);
  BOOST_TEST(run.trace.account(all).wrong.front() == how);
}

}  // namespace run_trace_test

using namespace run_trace_test;

BOOST_FIXTURE_TEST_SUITE(run_trace_test, ToldRun)

BOOST_AUTO_TEST_CASE(a_run_that_nothing_happens_to_accounts_for_all) {
  BOOST_TEST(all == plan.iterations());
  goes_well();
  check_sound(*this);
  BOOST_TEST(trace.reached() == 6U);
  BOOST_TEST(trace.seals() == 12U);
  BOOST_REQUIRE(trace.end().has_value());
  BOOST_TEST(trace.end()->finished);
  BOOST_TEST(trace.end()->samples == 80U);
  BOOST_TEST(trace.end()->parameters_sha256 == "abc");
}

BOOST_AUTO_TEST_CASE(a_missing_group_and_a_doubled_one_are_found) {
  begins();
  starts(0);
  trains(0, 3);
  seals(0, 3, 8);
  trains(4, all);
  ends();
  check_wrong(*this, "iteration 3 of epoch 2: 8 of 16 samples");
  ToldRun other;
  other.begins();
  other.starts(0);
  other.trains(0, 3);
  other.seals(0, 2, 4);
  other.trains(3, all);
  check_wrong(other, "iteration 2 of epoch 1: 12 of 8 samples");
}

BOOST_AUTO_TEST_CASE(a_seal_that_was_refused_counts_nothing) {
  begins();
  starts(0);
  seals(1, 0, 0);
  trains(0, all);
  check_sound(*this);
}

// Goal: what a worker sealed and may not have pushed before it died is done anew, or is not.
BOOST_AUTO_TEST_CASE(the_groups_of_a_dead_worker_may_count_or_not_while_the_iteration_is_open) {
  for (const std::uint32_t anew : {0U, 8U}) {
    ToldRun run;
    run.begins();
    run.starts(0);
    run.seals(0, 0, 8);
    run.loses(0);
    if (anew > 0) run.seals(1, 0, anew);
    run.seals(1, 0, 8);
    run.trains(1, all);
    check_sound(run);
  }
  // Of an iteration that was committed nothing is done again.
  begins();
  starts(0);
  trains(0, 2);
  loses(0);
  seals(1, 0, 8);
  trains(2, all);
  check_wrong(*this, "iteration 0 of epoch 1: 24 of 16 samples");
}

BOOST_AUTO_TEST_CASE(where_groups_are_applied_on_arrival_a_death_doubles_none) {
  ToldRun run(false);
  run.begins();
  run.starts(0);
  run.seals(0, 0, 8);
  run.loses(0);
  run.seals(1, 0, 8);
  run.seals(1, 0, 8);
  run.trains(1, all);
  check_wrong(run, "iteration 0 of epoch 1: 24 of 16 samples");
}

BOOST_AUTO_TEST_CASE(a_rollback_to_the_newest_checkpoint_loses_what_it_says) {
  begins();
  starts(0);
  trains(0, 3);
  saves(2);
  rolls_back(3, 2);
  starts(2);
  trains(2, all);
  ends();
  check_sound(*this);
  BOOST_TEST(trace.rollbacks() == 1U);
  BOOST_TEST(trace.lost_iterations() == 1U);
  BOOST_TEST((trace.checkpoints() == std::vector<std::uint64_t>{2}));
}

BOOST_AUTO_TEST_CASE(progress_does_not_go_back_with_a_rollback) {
  begins();
  starts(0);
  trains(0, 5);
  BOOST_TEST(trace.reached() == 4U);
  rolls_back(4, 0);
  starts(0);
  BOOST_TEST(trace.reached() == 4U);
  seals(0, 5, 4, 1);
  BOOST_TEST(trace.reached() == 4U);
}

BOOST_AUTO_TEST_CASE(a_rollback_behind_a_committed_checkpoint_is_a_loss) {
  begins();
  starts(0);
  trains(0, 3);
  saves(2);
  rolls_back(3, 0);
  check_broken(*this, "a rollback to iteration 0 though the newest checkpoint was of 2");
}

BOOST_AUTO_TEST_CASE(a_rollback_that_counts_too_few_iterations_is_a_loss) {
  begins();
  starts(0);
  trains(0, 4);
  rolls_back(1, 0);
  check_broken(*this, "a rollback from iteration 1 though 3 was reached");
}

BOOST_AUTO_TEST_CASE(training_goes_on_where_the_rollback_said) {
  begins();
  starts(0);
  trains(0, 3);
  saves(2);
  rolls_back(3, 2);
  starts(1);
  check_broken(*this, "after a rollback to iteration 2 training went on from 1");
}

BOOST_AUTO_TEST_CASE(a_start_without_a_reason_is_a_loss) {
  begins();
  starts(0);
  trains(0, 3);
  starts(1);
  check_broken(*this, "training began again at iteration 1, and no rollback says why");
}

// Goal: what a standby has is not done again, and the rest of what is open may be.
BOOST_AUTO_TEST_CASE(a_standby_goes_on_where_its_shard_was) {
  for (const bool committed : {true, false}) {
    ToldRun run(committed);
    run.begins();
    run.starts(0);
    run.trains(0, 2);
    run.seals(0, 2, 4);
    run.starts(2, "shard 1 died");
    run.trains(2, 4);
    run.starts(4, "shard 0 died");
    run.trains(4, all);
    run.ends();
    check_sound(run);
  }
}

BOOST_AUTO_TEST_CASE(a_standby_that_goes_back_is_a_loss) {
  begins();
  starts(0);
  trains(0, 5);
  starts(2, "shard 1 died");
  check_broken(*this, "a standby took over at iteration 2 though 4 was reached");
}

BOOST_AUTO_TEST_CASE(a_killed_command_is_resumed_from_its_newest_checkpoint_or_a_newer_one) {
  for (const std::uint64_t from : {2, 3}) {
    ToldRun run;
    run.begins();
    run.starts(0);
    run.trains(0, 2);
    run.saves(2);
    run.seals(0, 2, 4);
    run.begins(true);
    run.starts(from);
    run.trains(from, all);
    run.ends();
    // A checkpoint of iteration 3 was committed, and nobody could tell of it any more.
    check_sound(run, from - 2);
    BOOST_TEST(run.trace.resumes() == 1U);
    run.rolls_back(all, from);
    BOOST_TEST(run.trace.broken_promises().empty());
  }
}

BOOST_AUTO_TEST_CASE(a_resume_behind_a_committed_checkpoint_is_a_loss) {
  begins();
  starts(0);
  trains(0, 4);
  saves(2);
  begins(true);
  starts(1);
  check_broken(*this, "a command resumed from iteration 1 though a checkpoint of 2 was committed");
}

BOOST_AUTO_TEST_CASE(a_command_that_begins_anew_loses_the_checkpoints) {
  begins();
  starts(0);
  trains(0, 4);
  saves(2);
  begins(false);
  check_broken(*this, "a command began anew though a checkpoint of iteration 2 was committed");
}

BOOST_AUTO_TEST_CASE(a_command_that_was_killed_before_any_checkpoint_begins_anew) {
  begins();
  starts(0);
  trains(0, 2);
  begins(false);
  starts(0);
  trains(0, all);
  check_sound(*this);
}

BOOST_AUTO_TEST_CASE(what_was_forgotten_is_untold_and_not_wrong) {
  begins();
  starts(0);
  trains(0, 2);
  forgets();
  trains(4, all);
  check_sound(*this, 2);
}

BOOST_AUTO_TEST_CASE(a_group_of_an_iteration_that_the_job_has_not_is_found) {
  begins();
  starts(0);
  seals(0, 6, 8);
  check_broken(*this, "a group of iteration 6 was sealed");
}

BOOST_AUTO_TEST_CASE(the_end_of_a_command_is_not_that_of_the_next) {
  begins();
  ends(false);
  BOOST_TEST(trace.end()->reason == "out of paper");
  BOOST_TEST(!trace.end()->finished);
  begins(true);
  BOOST_TEST(!trace.end().has_value());
}

BOOST_AUTO_TEST_CASE(
    a_checkpoint_that_a_dead_coordinator_committed_and_did_not_tell_is_the_newest) {
  for (const bool lost : {false, true}) {
    ToldRun run;
    run.begins();
    run.starts(0);
    run.trains(0, 2);
    run.saves(2);
    run.trains(2, 4);
    if (lost) {
      run.forgets();
      run.starts(4);
    }
    run.seals(0, 4, 8);
    run.rolls_back(4, 4);
    BOOST_TEST(run.trace.broken_promises().empty() == lost);
  }
}

// Goal: who takes over from a coordinator that died keeps the groups that all shards have, and has
// others done again; which of them the record does not tell.
BOOST_AUTO_TEST_CASE(a_coordinator_that_takes_over_goes_on_with_what_there_is) {
  for (const bool again : {false, true})
    for (const bool committed : {false, true}) {
      ToldRun run(committed);
      run.begins();
      run.starts(0);
      run.trains(0, 1);
      run.seals(0, 1, 8);
      run.forgets();
      run.starts(1);
      run.seals(1, 1, 8);
      if (again) run.seals(0, 1, 8);
      run.trains(2, 6);
      run.saves(6);
      run.ends();
      BOOST_TEST(run.trace.broken_promises().empty());
      BOOST_TEST(run.trace.account(6).wrong_count == 0U);
    }
  ToldRun twice;
  twice.begins();
  twice.starts(0);
  twice.seals(0, 0, 8);
  twice.forgets();
  twice.starts(0);
  twice.trains(0, 6);
  twice.seals(0, 0, 1);
  BOOST_TEST(twice.trace.account(6).wrong_count == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

#include "storage/retention.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::storage;

namespace retention_test {

constexpr double unmeasured = std::numeric_limits<double>::quiet_NaN();

/// Iterations that are kept; of several with one, by their terms.
std::vector<CheckpointId> kept(const std::vector<RetentionCandidate>& candidates,
                               const RetentionRules& rules) {
  const auto because = decide_retention(candidates, rules);
  BOOST_REQUIRE(because.size() == candidates.size());
  std::vector<CheckpointId> ids;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (because[i].any()) ids.push_back(candidates[i].id);
  return ids;
}

std::vector<RetentionCandidate> one_run(std::initializer_list<double> accuracies) {
  std::vector<RetentionCandidate> candidates;
  for (const double accuracy : accuracies)
    candidates.push_back({.id = {1, 10 * (candidates.size() + 1)}, .accuracy = accuracy});
  return candidates;
}

}  // namespace retention_test

BOOST_AUTO_TEST_SUITE(retention_test)

BOOST_AUTO_TEST_CASE(the_newest_are_kept_and_never_fewer_than_one) {
  const auto run = one_run({0.1, 0.2, 0.3});
  BOOST_TEST((kept(run, {.newest = 2}) == std::vector<CheckpointId>{{1, 20}, {1, 30}}));
  BOOST_TEST((kept(run, {.newest = 0}) == std::vector<CheckpointId>{{1, 30}}));
  BOOST_TEST(kept(run, {.newest = 1000}).size() == 3u);
  BOOST_TEST(kept({}, {.newest = 2, .best = 2, .every = 2}).empty());
}

// Goal: the best is never removed because it is old.
BOOST_AUTO_TEST_CASE(the_best_is_kept_however_old_it_is) {
  const auto run = one_run({0.9, 0.5, unmeasured, 0.7, unmeasured, unmeasured});
  BOOST_TEST((kept(run, {.newest = 1, .best = 1}) == std::vector<CheckpointId>{{1, 10}, {1, 60}}));
  BOOST_TEST((kept(run, {.newest = 1, .best = 2}) ==
              std::vector<CheckpointId>{{1, 10}, {1, 40}, {1, 60}}));
  // Those that were not measured are no good ones.
  BOOST_TEST((kept(run, {.newest = 1, .best = 100}) ==
              std::vector<CheckpointId>{{1, 10}, {1, 20}, {1, 40}, {1, 60}}));
}

BOOST_AUTO_TEST_CASE(of_equally_good_ones_the_newer_is_kept) {
  const auto run = one_run({0.9, 0.9, 0.5});
  BOOST_TEST((kept(run, {.newest = 1, .best = 1}) == std::vector<CheckpointId>{{1, 20}, {1, 30}}));
}

// Goal: what is kept for a multiple is so for ever, whatever comes, and moments that do not fall on
// multiples, as those of a clock, have theirs too.
BOOST_AUTO_TEST_CASE(the_first_at_or_after_each_multiple_is_kept) {
  std::vector<RetentionCandidate> run;
  for (const std::uint64_t k : {3, 24, 25, 49, 52, 60, 90, 125, 130}) run.push_back({.id = {1, k}});
  BOOST_TEST((kept(run, {.newest = 1, .every = 25}) ==
              std::vector<CheckpointId>{{1, 25}, {1, 52}, {1, 90}, {1, 125}, {1, 130}}));
}

BOOST_AUTO_TEST_CASE(of_an_iteration_that_was_done_again_the_later_term_is_kept) {
  const std::vector<RetentionCandidate> run{
      {.id = {1, 50}}, {.id = {1, 60}}, {.id = {2, 50}}, {.id = {2, 70}}, {.id = {3, 80}}};
  BOOST_TEST(
      (kept(run, {.newest = 1, .every = 50}) == std::vector<CheckpointId>{{2, 50}, {3, 80}}));
}

BOOST_AUTO_TEST_CASE(a_pinned_one_is_kept_and_takes_nobodys_place) {
  auto run = one_run({0.9, 0.8, 0.7, 0.6});
  run[1].pinned = true;
  BOOST_TEST((kept(run, {.newest = 1, .best = 1}) ==
              std::vector<CheckpointId>{{1, 10}, {1, 20}, {1, 40}}));
  const auto because = decide_retention(run, {.newest = 4, .best = 1, .every = 20});
  BOOST_TEST((because[1].pinned && because[1].newest && because[1].every && !because[1].best));
}

// Goal: a damaged one neither counts nor is taken for the newest, so the newest valid one stays.
BOOST_AUTO_TEST_CASE(a_damaged_one_is_wanted_by_pins_only) {
  auto run = one_run({0.5, 0.9, 0.8, 0.7});
  run[1].damaged = run[3].damaged = true;
  BOOST_TEST((kept(run, {.newest = 1, .best = 1}) == std::vector<CheckpointId>{{1, 30}}));
  run[3].pinned = true;
  BOOST_TEST((kept(run, {.newest = 1}) == std::vector<CheckpointId>{{1, 30}, {1, 40}}));
}

// Goal: the rules do not take from each other: each keeps what it would keep alone.
BOOST_AUTO_TEST_CASE(rules_are_independent) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<RetentionCandidate> run;
    CheckpointId id{1, 0};
    while (run.size() < 30) {
      if (random.below(8) == 0) id = {id.term + 1, id.iteration - random.below(id.iteration + 1)};
      id.iteration += 1 + random.below(9);
      run.push_back(
          {.id = id,
           .accuracy = random.below(3) == 0 ? unmeasured : static_cast<double>(random.below(10)),
           .pinned = random.below(9) == 0,
           .damaged = random.below(9) == 0});
    }
    const RetentionRules rules{random.below(5), random.below(5), random.below(40)};
    const auto all = decide_retention(run, rules);
    const auto newest = decide_retention(run, {.newest = rules.newest});
    const auto best = decide_retention(run, {.best = rules.best});
    const auto every = decide_retention(run, {.every = rules.every});
    for (std::size_t i = 0; i < run.size(); ++i) {
      BOOST_TEST(all[i].newest == newest[i].newest);
      BOOST_TEST(all[i].best == best[i].best);
      BOOST_TEST(all[i].every == every[i].every);
      BOOST_TEST(all[i].pinned == run[i].pinned);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

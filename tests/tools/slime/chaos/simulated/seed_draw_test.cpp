#include "tools/slime/chaos/simulated/seed_draw.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

using namespace slime;
using namespace slime::tools;

namespace seed_draw_test {

DrawRules all_faults() {
  DrawRules rules;
  for (const SimulatedFault& fault : simulated_faults()) rules.faults.push_back(&fault);
  return rules;
}

}  // namespace seed_draw_test

BOOST_AUTO_TEST_SUITE(seed_draw_test)

BOOST_AUTO_TEST_CASE(a_seed_always_gives_the_same_and_another_one_something_else) {
  const auto rules = seed_draw_test::all_faults();
  std::set<std::string> told;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::string first = to_string(draw_seed(seed, rules));
    BOOST_TEST(first == to_string(draw_seed(seed, rules)));
    told.insert(first);
  }
  BOOST_TEST(told.size() == 50U);
}

// Goal: in enough seeds everything that can be drawn is.
BOOST_AUTO_TEST_CASE(seeds_cover_every_mode_policy_size_and_fault) {
  const auto rules = seed_draw_test::all_faults();
  std::map<std::string, int> modes, policies, faults;
  std::set<std::uint32_t> workers, shards;
  int saves = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const SeedDraw draw = draw_seed(seed, rules);
    ++modes[draw.job.mode];
    ++policies[draw.job.policy];
    workers.insert(draw.job.workers);
    shards.insert(draw.job.shards);
    saves += draw.job.checkpoint_every > 0;
    BOOST_TEST(draw.job.speeds.size() == draw.job.workers);
    BOOST_REQUIRE(!draw.strikes.empty());
    for (const PlannedStrike& strike : draw.strikes) ++faults[std::string(strike.fault->name)];
    BOOST_TEST(std::ranges::is_sorted(draw.strikes, {}, &PlannedStrike::after));
  }
  BOOST_TEST(modes.size() == 6U);
  BOOST_TEST(modes["bsp"] > 500);
  BOOST_TEST(policies.size() == 14U);
  BOOST_TEST(faults.size() == simulated_faults().size());
  BOOST_TEST((workers == std::set<std::uint32_t>{1, 2, 3, 4}));
  BOOST_TEST((shards == std::set<std::uint32_t>{1, 2, 3}));
  BOOST_TEST(saves > 400);
  BOOST_TEST(saves < 600);
}

BOOST_AUTO_TEST_CASE(a_job_file_decides_how_the_jobs_train) {
  auto rules = seed_draw_test::all_faults();
  rules.job = runtime::Message<schema::JobSpec>::make([](schema::JobSpec::Builder job) {
    job.setWorkers(5);
    job.setShards(2);
    job.initSync().setMode("ssp");
    job.getSync().setStalenessMax(1);
    job.initBalance().setPolicy("equal");
    job.initCheckpoint().setEverySeconds(5);
  });
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const DrawnJob job = draw_seed(seed, rules).job;
    BOOST_TEST(job.mode == "ssp");
    BOOST_TEST(job.policy == "equal");
    BOOST_TEST(job.workers == 5U);
    BOOST_TEST(job.speeds.size() == 5U);
    BOOST_TEST(job.shards == 2U);
    BOOST_TEST(job.staleness_max == 1U);
    BOOST_TEST(job.checkpoint_every > 0U);
    BOOST_TEST(!job.reproducible);
  }
}

BOOST_AUTO_TEST_CASE(the_coordinator_is_told_what_was_drawn) {
  const SeedDraw draw = draw_seed(3, seed_draw_test::all_faults());
  spec_of(draw.job, "/checkpoints").read([&](schema::JobSpec::Reader job) {
    BOOST_TEST(job.getSync().getMode().cStr() == draw.job.mode);
    BOOST_TEST(job.getEmulate().getSpeeds().size() == draw.job.workers);
    BOOST_TEST(job.getCheckpoint().getEveryIterations() == draw.job.checkpoint_every);
    BOOST_TEST(job.hasCheckpoint() == (draw.job.checkpoint_every > 0));
  });
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/chaos/chaos_plan.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <utility>

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace chaos_plan_test {

ChaosDraw everything(std::uint64_t seed, std::size_t count) {
  ChaosDraw draw{.seed = seed, .faults = {}, .targets = {}, .count = count};
  for (const FaultKind& fault : fault_kinds()) draw.faults.push_back(&fault);
  for (const FaultTarget& target : fault_targets()) draw.targets.push_back(&target);
  draw.iterations = 1000;
  draw.saves = true;
  return draw;
}

std::string text_of(const std::vector<PlannedFault>& plan) {
  std::string text;
  for (const PlannedFault& fault : plan) text += planned_json(fault) + "\n";
  return text;
}

}  // namespace chaos_plan_test

using namespace chaos_plan_test;

BOOST_AUTO_TEST_SUITE(chaos_plan_test)

BOOST_AUTO_TEST_CASE(a_seed_gives_one_plan_and_another_seed_another) {
  BOOST_TEST(text_of(draw_plan(everything(7, 50))) == text_of(draw_plan(everything(7, 50))));
  std::set<std::string> plans;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    plans.insert(text_of(draw_plan(everything(seed, 50))));
  BOOST_TEST(plans.size() == 20U);
}

// Goal: a seed that somebody wrote down means the same plan in every build.
BOOST_AUTO_TEST_CASE(the_plan_of_a_seed_never_changes) {
  ChaosDraw draw = everything(1, 3);
  // Whatever else there may be to choose from by now.
  const auto chosen = [](std::string_view name) {
    return &*std::ranges::find(fault_targets(), name, &FaultTarget::name);
  };
  draw.targets = {chosen("worker"), chosen("shard"), chosen("all")};
  const auto plan = draw_plan(draw);
  BOOST_TEST(to_string(plan[0]) ==
             "#1 stop worker, pick 876: iteration 57, after 961 ms, for 5251 ms");
  BOOST_TEST(to_string(plan[1]) ==
             "#2 stop all, pick 160: iteration 227, after 2342 ms, for 2546 ms");
  BOOST_TEST(to_string(plan[2]) == "#3 kill worker, pick 483: iteration 403, after 2455 ms");
}

BOOST_AUTO_TEST_CASE(every_fault_hits_every_target_before_any_does_so_again) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ChaosDraw draw = everything(seed, 60);
    const std::size_t pairs = draw.faults.size() * draw.targets.size();
    std::map<std::pair<const FaultKind*, const FaultTarget*>, std::size_t> dealt;
    for (const PlannedFault& fault : draw_plan(draw)) {
      const std::size_t before = dealt[{fault.fault, fault.target}]++;
      BOOST_TEST(before == (fault.number - 1) / pairs);
    }
    BOOST_TEST(dealt.size() == pairs);
  }
}

BOOST_AUTO_TEST_CASE(moments_lie_in_the_job_and_cover_training_and_saving) {
  const auto plan = draw_plan(everything(3, 400));
  std::size_t saving = 0, close = 0, long_stops = 0, stops = 0;
  std::uint64_t before = 1;
  for (const PlannedFault& fault : plan) {
    BOOST_TEST(fault.iteration >= before);
    // In a part of its own, unless it follows closely upon the one before.
    const auto part = [](std::size_t number) { return 1 + 1000 * number / parts_of_job(400); };
    const bool own = fault.iteration >= part(fault.number - 1);
    BOOST_TEST(fault.iteration <= part(fault.number));
    if (!own) BOOST_TEST((fault.delay < 100ms && fault.iteration == before));
    close += fault.iteration == before && fault.delay < 100ms && !fault.saving;
    before = fault.iteration;
    BOOST_TEST((fault.delay < (fault.saving ? 40ms : 3000ms)));
    BOOST_TEST((fault.hold > Duration::zero()) == fault.fault->passes);
    saving += fault.saving;
    stops += fault.fault->passes;
    long_stops += fault.hold > 3s;
  }
  BOOST_TEST((saving > 110 && saving < 190));
  BOOST_TEST((close > 70 && close < 140));
  // Some are over before anybody takes the node for dead, and some are not.
  BOOST_TEST((long_stops > stops / 4 && long_stops < stops * 3 / 4));
}

BOOST_AUTO_TEST_CASE(a_job_that_does_not_save_is_hit_while_it_trains) {
  ChaosDraw draw = everything(3, 50);
  draw.saves = false;
  for (const PlannedFault& fault : draw_plan(draw)) BOOST_TEST(!fault.saving);
}

BOOST_AUTO_TEST_CASE(the_shortest_job_has_room_for_any_number) {
  ChaosDraw draw = everything(3, 50);
  draw.iterations = 1;
  for (const PlannedFault& fault : draw_plan(draw)) BOOST_TEST(fault.iteration == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

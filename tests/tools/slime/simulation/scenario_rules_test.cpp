#include "tools/slime/simulation/scenario_rules.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/simulation/scenario_file.hpp"

using namespace slime;
using namespace slime::tests;

BOOST_FIXTURE_TEST_SUITE(scenario_rules_test, ScenarioFile)

BOOST_AUTO_TEST_CASE(what_does_not_go_together_is_refused) {
  BOOST_TEST(refusal(sound) == "");
  const auto refused = [this](const std::string& set, std::string_view why) {
    const std::string refusal = this->refusal(sound, {set});
    BOOST_TEST_MESSAGE(refusal);
    return refusal.starts_with("--set: " + set.substr(0, set.find('='))) &&
           refusal.find(why) != std::string::npos;
  };
  BOOST_TEST(refused("batch=66", "a multiple of block, which is 4"));
  BOOST_TEST(refused("iterations=1000000", "at most 16777216"));
  BOOST_TEST(refused("runs=[]", "nothing is to be run"));
  BOOST_TEST(refused("runs=[{mode=\"bspp\"}]", "\"bspp\" is unknown; did you mean \"bsp\"?"));
  BOOST_TEST(refused("runs=[{policy=\"equla\"}]", "did you mean \"equal\"?"));
  BOOST_TEST(refused("runs=[{mode=\"a_dsp\", policy=\"equal\"}]", "a_dsp means adapt_fr"));
  BOOST_TEST(refused("runs=[{mode=\"dssp\", staleness_min=9}]", "above staleness_max"));
  BOOST_TEST(refused("runs=[{policy=\"flex_rr\"}]", "without fast_reassignment"));
  BOOST_TEST(refused("compute.waves=[{worker=1},{worker=1}]", "worker 1 has two"));
  BOOST_TEST(refused("compute.changes=[{worker=1, at_seconds=1}]", "a speed above 0"));
  BOOST_TEST(refused("compute.stalls=[{worker=4}]", "worker 4 does not exist"));
  BOOST_TEST(refused("deaths=[{worker=9}]", "workers count from 0 to 3"));
  BOOST_TEST(refused("joins=[{worker=1}]", "must be the last ones, up to worker 3"));
  BOOST_TEST(refused("joins=[{worker=0},{worker=1},{worker=2},{worker=3}]", "from the start"));
  BOOST_TEST(refused("link.delay_min_us=5", "above link.delay_max_us, which is 0"));
  BOOST_TEST(refused("link.delay_max_us=1e6", "it must be below 1000000"));
  BOOST_TEST(refused("link.partitions=[{worker=7}]", "worker 7 does not exist"));
  BOOST_TEST(refused("deaths=[{},{worker=1},{worker=2},{worker=3}]", "no worker is alive"));
}

BOOST_AUTO_TEST_CASE(nothing_happens_to_a_worker_before_it_joins) {
  const std::string join = "joins=[{worker=3, at_seconds=0.5}]";
  const auto refused = [&](const std::string& fault) {
    const std::string refusal = this->refusal(sound, {join, fault});
    BOOST_TEST_MESSAGE(refusal);
    return refusal.starts_with("--set: " + fault.substr(0, fault.find('='))) &&
           refusal.find("worker 3 joins at 0.5 s") != std::string::npos;
  };
  BOOST_TEST(refused("deaths=[{worker=3, at_seconds=0.1}]"));
  BOOST_TEST(refused("deaths=[{worker=3, at_seconds=0.5}]"));
  BOOST_TEST(refused("link.partitions=[{worker=3, at_seconds=0.1, for_seconds=9}]"));
  BOOST_TEST(refusal(sound, {join, "deaths=[{worker=3, at_seconds=0.6}]"}) == "");
  BOOST_TEST(refusal(sound, {"joins=[{worker=3},{worker=3}]"}).find("worker 3 has two") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(nothing_happens_to_a_worker_that_is_away) {
  const auto refusal = [this](const std::string& deaths, const std::string& partitions = "") {
    return this->refusal(sound, {"deaths=[" + deaths + "]", "link.partitions=[" + partitions + "]",
                                 "link.detection_seconds=0.01"});
  };
  BOOST_TEST(refusal("{worker=1, at_seconds=0.3}, {worker=1, at_seconds=0.2}")
                 .find("deaths: worker 1 is dead from 0.2 s on: nothing can happen to it at 0.3") !=
             std::string::npos);
  const std::string cut = "{worker=1, at_seconds=0.25, for_seconds=0.25}";
  BOOST_TEST(refusal("{worker=1, at_seconds=0.3}", cut)
                 .find("deaths: worker 1 is away from 0.25 s to 0.5 s") != std::string::npos);
  BOOST_TEST(refusal("{worker=1, at_seconds=0.1, for_seconds=0.1}", cut + "," + cut)
                 .find("link.partitions: worker 1 is away from 0.25 s") != std::string::npos);
  BOOST_TEST(refusal("{worker=1, at_seconds=0.1, for_seconds=0.1},"
                     "{worker=1, at_seconds=0.6}, {worker=2, at_seconds=0.3}",
                     cut) == "");
}

// Goal: each comes back to its own place, since the coordinator fills the lowest one first.
BOOST_AUTO_TEST_CASE(nobody_comes_while_a_lower_place_is_vacant) {
  const auto refused = [this](const std::string& set, const std::string& other = "seed=1") {
    const std::string refusal = this->refusal(sound, {"link.detection_seconds=0.1", set, other});
    BOOST_TEST_MESSAGE(refusal);
    return refusal.find("and take the place of worker") != std::string::npos;
  };
  BOOST_TEST(refused("deaths=[{at_seconds=0.5}, {worker=2, at_seconds=1, for_seconds=0.5}]"));
  BOOST_TEST(!refused("deaths=[{at_seconds=2}, {worker=2, at_seconds=1, for_seconds=0.5}]"));
  BOOST_TEST(!refused("deaths=[{at_seconds=1, for_seconds=0.5}, {worker=2, at_seconds=0.5}]"));
  BOOST_TEST(refused("joins=[{worker=2, at_seconds=1}, {worker=3, at_seconds=0.5}]"));
  BOOST_TEST(!refused("joins=[{worker=2, at_seconds=1}, {worker=3, at_seconds=1}]"));
  const std::string join = "joins=[{worker=3, at_seconds=1}]";
  BOOST_TEST(refused(join, "link.partitions=[{worker=1, at_seconds=0.8, for_seconds=0.3}]"));
  // It is back before it is missed.
  BOOST_TEST(!refused(join, "link.partitions=[{worker=1, at_seconds=0.95, for_seconds=0.08}]"));
  BOOST_TEST(refusal(sound, {"deaths=[{worker=2, at_seconds=1, for_seconds=0.5}]"})
                 .find("before its death is noticed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_would_take_for_ever_is_refused) {
  BOOST_TEST(refusal(sound, {"compute.sample_us=1e9", "iterations=10000"})
                 .find("at most 1000000 s can be simulated") != std::string::npos);
  BOOST_TEST(refusal(sound, {"compute.waves=[{period_seconds=0.001}]", "iterations=10000"})
                 .find("too short for a run that may last") != std::string::npos);
  BOOST_TEST(refusal(sound, {"compute.waves=[{worker=1},{worker=2}]",
                             "compute.changes=[{worker=1, speed=1}]"})
                 .find("worker 1 has a wave already") != std::string::npos);
}

// Goal: what every worker is told, and everybody goes through, is bounded.
BOOST_AUTO_TEST_CASE(more_than_all_workers_can_be_told_is_refused) {
  const auto refused = [this](const std::string& setting, const std::string& element, int count,
                              std::string_view why) {
    std::string set = setting + "=[";
    for (int i = 0; i < count; ++i) set += (i > 0 ? "," : "") + element;
    const std::string refusal = this->refusal(sound, {"workers=10000", "batch=40000", set + "]"});
    BOOST_TEST_MESSAGE(refusal);
    return refusal.find(why) != std::string::npos;
  };
  constexpr std::string_view many = "times 10000 workers are too many";
  BOOST_TEST(refused("compute.speeds", "1", 201, many));
  BOOST_TEST(refused("compute.stalls", "{worker=1, at_seconds=1, for_seconds=1}", 201, many));
  BOOST_TEST(refused("compute.changes", "{worker=1, at_seconds=1, speed=1}", 201, many));
  BOOST_TEST(!refused("compute.changes", "{worker=1, at_seconds=1, speed=1}", 199, many));
  BOOST_TEST(refused("compute.waves", "{worker=1, period_seconds=1e-3}", 1, many));
}

BOOST_AUTO_TEST_SUITE_END()

#include "actors/training/checkpoint_costs.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "runtime/wire/message.hpp"
#include "trainer/recovery/checkpoint_interval.hpp"

using namespace slime;
using namespace slime::actors;
using runtime::Message;

namespace checkpoint_costs_test {

constexpr double day = 86400;

struct Rules {
  double interval_s(const CheckpointCosts& costs, double run_s = 0) const {
    return rules.read([&](auto read) { return costs.interval_s(read, run_s); });
  }
  double between_failures_s(const CheckpointCosts& costs, double run_s = 0) const {
    return rules.read([&](auto read) { return costs.between_failures_s(read, run_s); });
  }

  Message<schema::Checkpoint> rules = Message<schema::Checkpoint>::make([](auto) {});
};

/// What `costs` tell when their run has trained for `run_s`.
Message<schema::JobHistory> told(const CheckpointCosts& costs, double run_s) {
  return Message<schema::JobHistory>::make([&](schema::JobHistory::Builder root) {
    costs.write(root.initCheckpointCosts());
    root.setRunNs(from_seconds(run_s).count());
  });
}

}  // namespace checkpoint_costs_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_costs_test, Rules)

BOOST_AUTO_TEST_CASE(before_anything_is_known_a_checkpoint_is_thought_to_cost_a_second) {
  const CheckpointCosts costs;
  BOOST_TEST(std::isnan(costs.lost_s()));
  BOOST_TEST(std::isnan(costs.write_s()));
  BOOST_TEST(interval_s(costs) == trainer::daly_interval_s(1, day));
}

BOOST_AUTO_TEST_CASE(what_it_costs_is_measured_and_smoothed) {
  CheckpointCosts costs;
  costs.copied(8);
  BOOST_TEST(interval_s(costs) == trainer::daly_interval_s(8, day));
  costs.copied(4);
  BOOST_TEST(costs.lost_s() == 7);
  costs.committed(5000);
  BOOST_TEST(interval_s(costs) == 5000);
}

BOOST_AUTO_TEST_CASE(failures_make_checkpoints_more_frequent_and_their_absence_rarer) {
  CheckpointCosts quiet, failing;
  for (int i = 0; i < 9; ++i) failing.failed();
  BOOST_TEST(between_failures_s(quiet, day) == 2 * day);
  BOOST_TEST(between_failures_s(failing, day) == 0.2 * day);
  BOOST_TEST(interval_s(failing, day) < interval_s(quiet, day));
  BOOST_TEST(interval_s(quiet, day) > interval_s(quiet));
}

BOOST_AUTO_TEST_CASE(a_successor_and_a_later_run_go_on_from_it) {
  CheckpointCosts first;
  first.copied(2);
  first.committed(3);
  first.failed();
  const auto history = told(first, day);
  CheckpointCosts successor, later, ended;
  history.read([&](schema::JobHistory::Reader read) {
    successor.take_up(read.getCheckpointCosts());
    later.resume(read, true);
    ended.resume(read, false);
  });
  for (const CheckpointCosts* costs : {&successor, &later, &ended}) {
    BOOST_TEST(costs->lost_s() == 2);
    BOOST_TEST(costs->write_s() == 3);
  }
  BOOST_TEST(between_failures_s(successor, day) == between_failures_s(first, day));
  BOOST_TEST(later.failures() == 2u);
  BOOST_TEST(ended.failures() == 1u);
  BOOST_TEST(between_failures_s(ended, day) == (day + 2 * day) / 2);
}

// Goal: numbers from a store that somebody else wrote harm nothing.
BOOST_AUTO_TEST_CASE(costs_that_cannot_be_are_not_known) {
  for (const double bad : {-1.0, std::numeric_limits<double>::infinity()}) {
    CheckpointCosts costs;
    Message<schema::JobHistory>::make([&](schema::JobHistory::Builder root) {
      auto told = root.initCheckpointCosts();
      told.setLostSeconds(bad);
      told.setWriteSeconds(bad);
      told.setEarlierSeconds(bad);
      root.setRunNs(-5);
    }).read([&](schema::JobHistory::Reader read) { costs.resume(read, false); });
    BOOST_TEST(interval_s(costs) == interval_s(CheckpointCosts()));
  }
}

BOOST_AUTO_TEST_SUITE_END()

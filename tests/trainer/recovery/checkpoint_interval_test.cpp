#include "trainer/recovery/checkpoint_interval.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace slime::trainer;

namespace checkpoint_interval_test {

constexpr double minute = 60, hour = 3600, day = 86400;

/// What costs from a hundredth of a millisecond to three years.
std::vector<double> many() {
  std::vector<double> values;
  for (double value = 1e-5; value < 1e8; value *= 1.7) values.push_back(value);
  return values;
}

}  // namespace checkpoint_interval_test

BOOST_AUTO_TEST_SUITE(checkpoint_interval_test)

// The captions of Daly's figures 3, 4 and 5: a checkpoint costs 5 minutes.
BOOST_AUTO_TEST_CASE(it_predicts_what_the_paper_does) {
  BOOST_TEST(std::round(daly_interval_s(5 * minute, 24 * hour) / minute) == 117);
  BOOST_TEST(std::round(daly_interval_s(5 * minute, 6 * hour) / minute) == 57);
  BOOST_TEST(std::round(daly_interval_s(5 * minute, 15 * minute) / minute * 10) == 91);
}

BOOST_AUTO_TEST_CASE(a_small_cost_leaves_young_s_formula) {
  BOOST_TEST(daly_interval_s(1e-6, day) == std::sqrt(2e-6 * day),
             boost::test_tools::tolerance(1e-5));
  BOOST_TEST(daly_interval_s(0, day) == 0);
}

// Goal: the interval is the one that loses least. Method: Daly's complete cost function, the time
// that a unit of work takes with exponential failures and a free restart.
BOOST_AUTO_TEST_CASE(neighbouring_intervals_cost_more) {
  const auto time_per_work = [](double interval, double cost, double failures) {
    return failures * std::expm1((interval + cost) / failures) / interval;
  };
  for (const double cost : {0.01, 1.0, 60.0, 600.0})
    for (const double failures : {hour, day, 30 * day}) {
      const double best = daly_interval_s(cost, failures);
      const double least = time_per_work(best, cost, failures);
      BOOST_TEST(time_per_work(0.8 * best, cost, failures) > least);
      BOOST_TEST(time_per_work(1.25 * best, cost, failures) > least);
    }
}

BOOST_AUTO_TEST_CASE(a_cost_beyond_the_time_between_failures_leaves_that) {
  BOOST_TEST(daly_interval_s(2 * hour, hour) == hour);
  BOOST_TEST(daly_interval_s(50 * hour, hour) == hour);
}

BOOST_AUTO_TEST_CASE(dearer_checkpoints_are_rarer) {
  for (const double failures : {minute, day}) {
    double before = 0;
    for (const double cost : many()) {
      const double interval = daly_interval_s(cost, failures);
      BOOST_TEST(interval >= before);
      before = interval;
    }
  }
}

// With a share of at most a half, as settings allow.
BOOST_AUTO_TEST_CASE(rarer_failures_make_checkpoints_rarer) {
  for (const double cost : {0.0, 0.01, 5.0, hour}) {
    double before = 0;
    for (const double failures : many()) {
      const double interval = checkpoint_interval_s(
          {.lost_s = cost, .write_s = 0, .between_failures_s = failures, .overhead_max = 0.5});
      BOOST_TEST(interval >= before);
      before = interval;
    }
  }
}

BOOST_AUTO_TEST_CASE(checkpoints_stay_within_their_share_whatever_fails) {
  for (const double cost : many())
    for (const double share : {0.001, 0.02, 0.5})
      for (const double failures : {1.0, hour, 1000 * day}) {
        const double interval = checkpoint_interval_s(
            {.lost_s = cost, .write_s = 0, .between_failures_s = failures, .overhead_max = share});
        BOOST_TEST(std::isfinite(interval));
        BOOST_TEST(cost / (interval + cost) <= share * (1 + 1e-9));
      }
}

BOOST_AUTO_TEST_CASE(one_is_written_before_the_next_begins_and_none_comes_within_a_second) {
  CheckpointOutlook outlook{.lost_s = 0.001, .write_s = 500, .between_failures_s = hour};
  BOOST_TEST(checkpoint_interval_s(outlook) == 500);
  outlook = {.lost_s = 0, .write_s = 0, .between_failures_s = day};
  BOOST_TEST(checkpoint_interval_s(outlook) == 1);
}

BOOST_AUTO_TEST_CASE(what_was_declared_counts_until_more_is_known) {
  BOOST_TEST(mean_between_failures_s(day, 0, 0) == day);
  // No failure in all that time: they are rarer than declared.
  BOOST_TEST(mean_between_failures_s(day, 0, 9 * day) == 10 * day);
  BOOST_TEST(mean_between_failures_s(day, 1, day) == day);
  BOOST_TEST(mean_between_failures_s(day, 999, 999 * hour) == hour,
             boost::test_tools::tolerance(0.03));
}

BOOST_AUTO_TEST_SUITE_END()

// Estimators and policies together, in virtual time: the policy's shares decide what is measured.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/random.hpp"
#include "trainer/balance/policies.hpp"
#include "trainer/balance/split.hpp"

using namespace slime;
using namespace slime::trainer;

namespace closed_loop_test {

using Shares = std::vector<std::uint32_t>;
using Noise = std::function<double(Random&)>;

double uniform_30_percent(Random& random) {
  return 0.7 + 0.6 * random.uniform();
}
Noise lognormal(double sigma) {
  return [sigma](Random& random) { return std::exp(sigma * random.normal()); };
}

std::unique_ptr<BalancePolicy> make(const std::string& name) {
  return make_balance_policy(name, {}).value();
}

std::vector<std::string> names_by_speed() {
  // These give by how many workers there are, or by which ones they are.
  const std::set<std::string_view> others{"equal", "work_queue",     "flex_rr",
                                          "fixed", "backup_workers", "random"};
  std::vector<std::string> names;
  for (const auto& entry : balance_policies())
    if (!others.contains(entry.name)) names.emplace_back(entry.name);
  return names;
}

/// Workers under BSP: an iteration lasts as long as its last worker.
struct Loop {
  std::vector<double> sample_s;  ///< True seconds per sample, and per iteration besides.
  std::vector<double> fixed_s = std::vector<double>(sample_s.size(), 0);
  std::uint32_t units = 64;
  std::uint32_t block = 1;
  Noise noise = uniform_30_percent;
  Random random{1};
  std::vector<SpeedEstimator> estimators = std::vector<SpeedEstimator>(sample_s.size());
  Shares shares = Shares(sample_s.size(), 0);
  std::vector<Shares> history{};
  double seconds = 0;         ///< Of the iterations so far.
  double oracle_seconds = 0;  ///< Of the same ones under the best shares for the true speeds.
  std::unique_ptr<BalancePolicy> policy = make("adapt_fr");

  std::vector<WorkerLoad> loads() const {
    std::vector<WorkerLoad> result;
    for (std::size_t i = 0; i < sample_s.size(); ++i) {
      WorkerLoad load;
      load.worker = WorkerId(static_cast<std::uint32_t>(i));
      load.speed = estimators[i].estimate(history.size());
      load.declared_sample_s = sample_s[i];
      load.units_previous = shares[i];
      result.push_back(load);
    }
    return result;
  }

  void step(double slow_down = 1) {
    shares = policy->split({units, block, history.size()}, loads()).value();
    history.push_back(shares);
    std::vector<UnitCost> truth;
    for (std::size_t i = 0; i < sample_s.size(); ++i) {
      truth.push_back({fixed_s[i], sample_s[i] * block});
    }
    const Shares oracle = minmax_split(units, truth).value();
    double last = 0, oracle_last = 0;
    for (std::size_t i = 0; i < sample_s.size(); ++i) {
      const double factor = slow_down * noise(random);
      const double taken = factor * makespan_s({&truth[i], 1}, {&shares[i], 1});
      last = std::max(last, taken);
      oracle_last = std::max(oracle_last, factor * makespan_s({&truth[i], 1}, {&oracle[i], 1}));
      Measurement measurement;
      measurement.iteration = history.size();
      measurement.samples = shares[i] * block;
      measurement.compute_s = taken;
      BOOST_REQUIRE(bool(estimators[i].observe(measurement)));
    }
    seconds += last;
    oracle_seconds += oracle_last;
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }
  void forget_times() { seconds = oracle_seconds = 0; }

  int moves() const {
    int count = 0;
    for (std::size_t k = 1; k < history.size(); ++k) count += history[k] != history[k - 1];
    return count;
  }
  /// How far the largest share is from its due, relative to it and to at least one unit.
  double distance(const Shares& given) const {
    double speed = 0;
    for (double each : sample_s) speed += 1 / each;
    double worst = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double due = units / sample_s[i] / speed;
      worst = std::max(worst, std::max(0.0, std::abs(given[i] - due) - 1) / due);
    }
    return worst;
  }
};

std::uint32_t sum(const Shares& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0u);
}

}  // namespace closed_loop_test

BOOST_AUTO_TEST_SUITE(closed_loop_test)

// Goal: no swinging shares, whatever the first steps and the noise show. Method: speeds 1:2:4 with
// +-30 % noise, the first steps ten times slower (more than the warm-up hides), batch
// 64, 200 steps, 20 seeds. What the noise leaves of an estimate is 5 %, so a quarter is five sigma.
BOOST_AUTO_TEST_CASE(unequal_workers_settle_within_a_dozen_adjustments_and_stay) {
  for (int slow_steps : {3, 8}) {
    int moves_max = 0;
    double ratio_sum = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Loop loop{.sample_s = {0.04, 0.02, 0.01}, .random = Random(seed)};
      for (int i = 0; i < slow_steps; ++i) loop.step(10);
      loop.steps(12);
      const std::size_t settled = loop.history.size();
      loop.forget_times();
      loop.steps(188 - slow_steps);
      for (std::size_t k = 0; k < loop.history.size(); ++k) {
        BOOST_REQUIRE(sum(loop.history[k]) == 64u);
        if (k >= settled) BOOST_TEST(loop.distance(loop.history[k]) < 0.25);
        const bool flip = k >= 2 && loop.history[k] == loop.history[k - 2] &&
                          loop.history[k] != loop.history[k - 1];
        BOOST_TEST(!flip);
      }
      moves_max = std::max(moves_max, loop.moves());
      ratio_sum += loop.seconds / loop.oracle_seconds;
    }
    BOOST_TEST_MESSAGE(slow_steps << " slow steps: at most " << moves_max
                                  << " moves in 200; time over oracle " << ratio_sum / 20);
    BOOST_TEST(moves_max <= 12);
    BOOST_TEST(ratio_sum / 20 < 1.05);
  }
}

// Goal: a lasting change is followed within a few iterations. Method: the fastest of three halves
// its speed at step 100, 20 seeds; counted are the steps until its share is within a fifth (and a
// unit) of what is then due.
BOOST_AUTO_TEST_CASE(a_worker_that_halves_its_speed_is_followed_within_a_few_iterations) {
  for (double sigma : {0.05, 0.1, 0.2}) {
    double steps_sum = 0;
    int steps_max = 0;
    double ratio_sum = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Loop loop{.sample_s = {0.04, 0.02, 0.01}, .noise = lognormal(sigma), .random = Random(seed)};
      loop.steps(100);
      loop.sample_s[2] = 0.02;
      loop.forget_times();
      int steps = 0;
      do {
        loop.step();
        ++steps;
      } while (loop.distance(loop.shares) > 0.2 && steps < 100);
      loop.steps(100 - steps);
      steps_sum += steps;
      steps_max = std::max(steps_max, steps);
      ratio_sum += loop.seconds / loop.oracle_seconds;
    }
    BOOST_TEST_MESSAGE("sigma " << sigma << ": followed after " << steps_sum / 20
                                << " steps, at most " << steps_max << "; time over oracle "
                                << ratio_sum / 20);
    BOOST_TEST(steps_sum / 20 <= 10);
    BOOST_TEST(steps_max <= 20);
    BOOST_TEST(ratio_sum / 20 < 1.08);
  }
}

BOOST_AUTO_TEST_CASE(equal_workers_are_left_alone) {
  for (double sigma : {0.0, 0.1, 0.2}) {
    int moves = 0;
    double ratio_sum = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Loop loop{.sample_s = std::vector<double>(8, 0.01),
                .units = 256,
                .noise = lognormal(sigma),
                .random = Random(seed)};
      loop.steps(200);
      moves += loop.moves();
      ratio_sum += loop.seconds / loop.oracle_seconds;
    }
    BOOST_TEST_MESSAGE("sigma " << sigma << ": " << moves / 20.0
                                << " moves in 200 steps; time over equal " << ratio_sum / 20);
    if (sigma == 0) BOOST_TEST(moves == 0);
    BOOST_TEST(moves / 20.0 < 3);
    BOOST_TEST(ratio_sum / 20 < 1.02);
  }
}

// The published proportional rule needs several rounds here; the affine model needs varied shares,
// which the first moves bring.
BOOST_AUTO_TEST_CASE(fixed_costs_do_not_keep_the_shares_from_the_best) {
  for (double sigma : {0.0, 0.05, 0.1}) {
    double ratio_sum = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Loop loop{.sample_s = {.01, .01, .01, .03},
                .fixed_s = {.3, .3, .3, .9},
                .units = 256,
                .noise = lognormal(sigma),
                .random = Random(seed)};
      loop.steps(15);
      loop.forget_times();
      loop.steps(100);
      ratio_sum += loop.seconds / loop.oracle_seconds;
    }
    BOOST_TEST_MESSAGE("sigma " << sigma << ": time over oracle " << ratio_sum / 20);
    BOOST_TEST(ratio_sum / 20 < 1.05);
  }
}

// A worker that crawls long enough loses its blocks. Once well again it must get them back,
// although without blocks it cannot show that it is.
BOOST_AUTO_TEST_CASE(a_worker_that_recovers_gets_its_part_again) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Loop loop{.sample_s = std::vector<double>(4, 0.01),
              .units = 16,
              .block = 16,
              .noise = lognormal(0.1),
              .random = Random(seed)};
    loop.steps(30);
    loop.sample_s[1] = 1;
    loop.steps(30);
    BOOST_TEST(loop.shares[1] == 0u);
    loop.sample_s[1] = 0.01;
    loop.steps(SpeedEstimator::expiry + 20);
    BOOST_TEST(loop.shares[1] >= 3u);
  }
}

BOOST_AUTO_TEST_CASE(the_oracle_is_within_reach_under_lasting_differences) {
  for (double sigma : {0.05, 0.1, 0.2}) {
    double ratio_sum = 0;
    double moves = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Loop loop{.sample_s = {.01, .01, .01, .01, .015, .015, .02, .03},
                .units = 256,
                .noise = lognormal(sigma),
                .random = Random(seed)};
      loop.steps(12);
      loop.forget_times();
      loop.steps(190);
      ratio_sum += loop.seconds / loop.oracle_seconds;
      moves += loop.moves();
    }
    BOOST_TEST_MESSAGE("sigma " << sigma << ": " << moves / 20 << " moves; time over oracle "
                                << ratio_sum / 20);
    BOOST_TEST(ratio_sum / 20 < 1.04);
  }
}

// Goal: each policy that looks at speeds comes near the best there is, some sooner than others.
// Method: eight workers of speeds 1 to 1/3 with 10 % noise, under which equal shares take more than
// twice the oracle's time; counted once even those that move a step at a time have settled. What is
// left to those without a dead band is what they move with the noise.
BOOST_DATA_TEST_CASE(every_policy_by_speed_settles_near_the_oracle,
                     boost::unit_test::data::make(names_by_speed()), name) {
  double early = 0, settled = 0, moves = 0;
  constexpr int seeds = 10;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Loop loop{.sample_s = {.01, .01, .01, .01, .015, .015, .02, .03},
              .units = 256,
              .noise = lognormal(0.1),
              .random = Random(seed),
              .policy = make(name)};
    loop.steps(100);
    early += loop.seconds / loop.oracle_seconds;
    loop.steps(300);
    loop.forget_times();
    loop.steps(100);
    settled += loop.seconds / loop.oracle_seconds;
    moves += loop.moves();
  }
  BOOST_TEST_MESSAGE(name << ": time over oracle " << early / seeds << " in 100 steps, "
                          << settled / seeds << " once settled; " << moves / seeds
                          << " moves in 500");
  BOOST_TEST(settled / seeds < 1.08);
}

// As it says of itself: AutoT does not see what happens after the freeze, and going on by AdaptFR
// does.
BOOST_AUTO_TEST_CASE(tuned_shares_are_blind_to_a_later_change_unless_adapt_fr_goes_on) {
  const auto ratio_after_change = [](bool adapt) {
    double ratio_sum = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Loop loop{.sample_s = {.01, .01, .02},
                .units = 256,
                .noise = lognormal(0.05),
                .random = Random(seed),
                .policy = make_balance_policy("auto_t", {.adapt_after_tuning = adapt}).value()};
      loop.steps(120);
      loop.sample_s[0] = .03;
      loop.steps(20);
      loop.forget_times();
      loop.steps(60);
      ratio_sum += loop.seconds / loop.oracle_seconds;
    }
    return ratio_sum / 10;
  };
  BOOST_TEST(ratio_after_change(false) > 1.5);
  BOOST_TEST(ratio_after_change(true) < 1.05);
}

BOOST_AUTO_TEST_SUITE_END()

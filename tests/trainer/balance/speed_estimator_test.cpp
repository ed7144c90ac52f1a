#include "trainer/balance/speed_estimator.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;

namespace speed_estimator_test {

/// A worker that takes `fixed_s + sample_s x` times lognormal noise, and the estimator that
/// watches it.
struct Watched {
  double fixed_s = 0;
  double sample_s = 0.01;
  double sigma = 0;
  Random random;
  SpeedEstimator estimator{};
  std::uint64_t iteration = 0;

  void compute(std::uint32_t samples, double factor = 1) {
    const double noise = std::exp(sigma * random.normal());
    Measurement measurement;
    measurement.iteration = ++iteration;
    measurement.samples = samples;
    measurement.compute_s = (fixed_s + sample_s * samples) * factor * noise;
    BOOST_REQUIRE(bool(estimator.observe(measurement)));
  }
  void compute_often(int times, std::uint32_t samples) {
    for (int i = 0; i < times; ++i) compute(samples);
  }
  SpeedEstimate estimate() const { return estimator.estimate(iteration); }
};

}  // namespace speed_estimator_test

BOOST_AUTO_TEST_SUITE(speed_estimator_test)

BOOST_AUTO_TEST_CASE(the_first_measurements_are_not_believed) {
  Watched worker{.random = Random(1)};
  for (std::uint32_t i = 0; i < SpeedEstimator::warm_up; ++i) worker.compute(32, 10);
  BOOST_TEST(worker.estimate().measurements == 0u);
  worker.compute(32);
  BOOST_TEST(worker.estimate().measurements == 1u);
  BOOST_TEST(worker.estimate().sample_s == 0.01, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_steady_worker_is_known_exactly_and_without_noise) {
  Watched worker{.random = Random(1)};
  worker.compute_often(20, 32);
  BOOST_TEST(worker.estimate().seconds(32) == 0.32, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(worker.estimate().noise == 0.005);
}

BOOST_AUTO_TEST_CASE(noise_is_measured_within_a_third) {
  for (double sigma : {0.05, 0.1, 0.2, 0.3}) {
    Watched worker{.sigma = sigma, .random = Random(2)};
    double sum = 0;
    worker.compute_often(100, 32);
    for (int i = 0; i < 200; ++i) {
      worker.compute(32);
      sum += worker.estimate().noise / 200;
    }
    BOOST_TEST(sum > sigma * 0.67);
    BOOST_TEST(sum < sigma * 1.33);
  }
}

BOOST_AUTO_TEST_CASE(a_single_spike_does_not_move_the_estimate) {
  Watched worker{.sigma = 0.05, .random = Random(3)};
  worker.compute_often(50, 32);
  const double before = worker.estimate().seconds(32);
  worker.compute(32, 20);
  BOOST_TEST(worker.estimate().seconds(32) == before, boost::test_tools::tolerance(0.03));
  worker.compute_often(5, 32);
  BOOST_TEST(worker.estimate().seconds(32) == 0.32, boost::test_tools::tolerance(0.06));
  BOOST_TEST(worker.estimator.changes() == 0u);
}

BOOST_AUTO_TEST_CASE(a_halved_speed_is_believed_after_three_measurements) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Watched worker{.sigma = 0.1, .random = Random(seed)};
    worker.compute_often(50, 32);
    const std::uint32_t before = worker.estimator.changes();
    worker.sample_s *= 2;
    worker.compute_often(3, 32);
    BOOST_TEST(worker.estimate().seconds(32) == 0.64, boost::test_tools::tolerance(0.25));
    BOOST_TEST(worker.estimator.changes() == before + 1);
  }
}

// Goal: noise of 20 % must not pass for changes. Method: 20 workers, 200 iterations each.
BOOST_AUTO_TEST_CASE(noise_alone_seldom_passes_for_a_change) {
  std::uint32_t changes = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Watched worker{.sigma = 0.2, .random = Random(seed)};
    worker.compute_often(200, 32);
    changes += worker.estimator.changes();
  }
  BOOST_TEST_MESSAGE("false changes in 4,000 measurements: " << changes);
  BOOST_TEST(changes <= 4u);
}

BOOST_AUTO_TEST_CASE(a_constant_share_never_moves_the_fixed_part) {
  Watched worker{.fixed_s = 0.2, .sigma = 0.1, .random = Random(4)};
  worker.compute_often(300, 32);
  BOOST_TEST(worker.estimate().fixed_s == 0.0);
  BOOST_TEST(worker.estimate().seconds(32) == 0.52, boost::test_tools::tolerance(0.15));
}

BOOST_AUTO_TEST_CASE(varied_shares_tell_the_fixed_part_from_the_rest) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Watched worker{.fixed_s = 0.2, .sigma = 0.03, .random = Random(seed)};
    for (int i = 0; i < 30; ++i) worker.compute_often(5, i % 3 == 0 ? 16 : i % 3 == 1 ? 32 : 64);
    const SpeedEstimate estimate = worker.estimate();
    BOOST_TEST(estimate.fixed_s == 0.2, boost::test_tools::tolerance(0.2));
    BOOST_TEST(estimate.sample_s == 0.01, boost::test_tools::tolerance(0.12));
  }
}

// Goal: no false fixed part where fast reassignment takes work from whoever is late. Method: in an
// iteration that takes longer by a factor f, a worker keeps 1/f of its samples.
BOOST_AUTO_TEST_CASE(work_taken_from_who_is_late_is_not_taken_for_a_fixed_cost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Watched worker{.random = Random(seed)};
    for (int i = 0; i < 100; ++i) {
      const double late = std::exp(0.2 * std::abs(worker.random.normal()));
      worker.compute(static_cast<std::uint32_t>(64 / late), late);
    }
    BOOST_TEST(worker.estimate().fixed_s == 0.0);
  }
}

// Shares that follow a slow drift keep the time constant, which looks like a fixed cost.
BOOST_AUTO_TEST_CASE(a_slow_drift_followed_by_the_share_is_not_taken_for_a_fixed_cost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Watched worker{.sigma = 0.1, .random = Random(seed)};
    double fixed_max = 0;
    for (int i = 0; i < 200; ++i) {
      worker.sample_s = 0.01 * (1 + i / 200.0);
      worker.compute(static_cast<std::uint32_t>(0.64 / worker.sample_s));
      fixed_max = std::max(fixed_max, worker.estimate().fixed_s);
    }
    BOOST_TEST(fixed_max < 0.2 * 0.64);
  }
}

BOOST_AUTO_TEST_CASE(a_long_silence_makes_the_speed_unknown_until_the_next_measurement) {
  Watched worker{.random = Random(5)};
  worker.compute_often(20, 32);
  worker.iteration += SpeedEstimator::expiry;
  BOOST_TEST(worker.estimate().measurements > 0u);
  ++worker.iteration;
  BOOST_TEST(worker.estimate().measurements == 0u);
  worker.compute(16, 5);
  BOOST_TEST(worker.estimate().measurements == 1u);
  BOOST_TEST(worker.estimate().seconds(16) == 0.8, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(impossible_times_are_refused_and_empty_ones_ignored) {
  Watched worker{.random = Random(6)};
  worker.compute_often(10, 32);
  const std::string before = worker.estimator.save();
  Measurement measurement;
  measurement.iteration = 99;
  BOOST_TEST(bool(worker.estimator.observe(measurement)));
  measurement.samples = 4;
  for (double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::infinity()}) {
    measurement.compute_s = seconds;
    BOOST_CHECK(worker.estimator.observe(measurement).error().code == Errc::invalid_argument);
  }
  BOOST_TEST(worker.estimator.save() == before);
}

BOOST_AUTO_TEST_CASE(a_restored_estimator_continues_as_the_saved_one) {
  Watched worker{.fixed_s = 0.1, .sigma = 0.2, .random = Random(7)};
  for (int i = 0; i < 37; ++i) worker.compute(i % 2 == 0 ? 16 : 48);
  Watched other = worker;
  other.estimator = SpeedEstimator();
  BOOST_REQUIRE(bool(other.estimator.restore(worker.estimator.save())));
  worker.compute_often(10, 32);
  other.compute_often(10, 32);
  BOOST_TEST(worker.estimator.save() == other.estimator.save());
  BOOST_TEST(worker.estimate().seconds(32) == other.estimate().seconds(32));
}

BOOST_AUTO_TEST_CASE(text_that_was_not_saved_is_refused) {
  SpeedEstimator estimator;
  const std::string fresh = estimator.save();
  BOOST_TEST(bool(estimator.restore(fresh)));
  for (const std::string& text :
       {std::string(), std::string("nonsense"), fresh.substr(0, fresh.size() / 2), "x" + fresh}) {
    BOOST_CHECK(estimator.restore(text).error().code == Errc::corruption);
  }
  BOOST_TEST(estimator.save() == fresh);
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/sync/dynamic_synchronous.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;

namespace dynamic_synchronous_test {

/// Mean time of an iteration beyond the workers' own mean of 1, with slack `r` for everyone:
/// worker i starts iteration k once it is done with k - 1 and everybody with k - 1 - r.
double simulated_wait(std::size_t count, double sigma, std::uint32_t r, std::uint64_t seed) {
  constexpr std::size_t iterations = 6000;
  Random random(seed);
  const double mean = std::exp(sigma * sigma / 2);
  std::vector<double> end(count, 0);
  std::vector<double> last;
  for (std::size_t k = 0; k < iterations; ++k) {
    const double gate = k > r ? last[k - r - 1] : 0;
    for (double& each : end) {
      each = std::max(each, gate) + std::exp(sigma * random.normal()) / mean;
    }
    last.push_back(*std::max_element(end.begin(), end.end()));
  }
  constexpr std::size_t skipped = iterations / 4;
  return (last.back() - last[skipped]) / (iterations - 1 - skipped) - 1;
}

std::uint32_t slack(std::size_t worker, std::span<const IterationTiming> workers,
                    std::uint32_t w = 3) {
  return DynamicSynchronous(w).slack(worker, workers);
}

}  // namespace dynamic_synchronous_test

BOOST_AUTO_TEST_SUITE(dynamic_synchronous_test)

// Goal: the predicted wait is the one that happens. Method: simulate equal workers and compare;
// with a cushion within a third, without one within the known gap between sqrt(2 ln n) and the
// expected maximum of n normal variables.
BOOST_AUTO_TEST_CASE(the_predicted_wait_agrees_with_a_simulation) {
  for (std::size_t count : {2u, 4u, 8u, 32u}) {
    for (double sigma : {0.1, 0.2, 0.4}) {
      const std::vector<IterationTiming> workers(count, {1, sigma, 0});
      for (std::uint32_t r = 0; r <= 3; ++r) {
        const double predicted = DynamicSynchronous::predicted_wait_s(0, workers, r);
        const double simulated = simulated_wait(count, sigma, r, 41);
        BOOST_TEST_MESSAGE(count << " workers, sigma " << sigma << ", r " << r << ": predicted "
                                 << predicted << ", simulated " << simulated);
        if (simulated < 0.005) continue;
        BOOST_TEST(predicted > simulated * (r == 0 ? 0.85 : 0.67));
        BOOST_TEST(predicted < simulated * (r == 0 ? 2.3 : 1.5));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(noise_is_met_with_as_much_slack_as_it_needs) {
  const auto with_noise = [](double sigma) {
    return slack(0, std::vector<IterationTiming>(8, {1, sigma, 0}), 10);
  };
  BOOST_TEST(with_noise(0.005) == 0u);
  BOOST_TEST(with_noise(0.1) == 1u);
  BOOST_TEST(with_noise(0.2) == 3u);
}

BOOST_AUTO_TEST_CASE(a_slow_exchange_is_hidden_behind_one_iteration) {
  const auto with_exchange = [](double seconds) {
    return slack(0, std::vector<IterationTiming>(4, {1, 0.001, seconds}));
  };
  BOOST_TEST(with_exchange(0.005) == 0u);
  BOOST_TEST(with_exchange(0.1) == 1u);
  BOOST_TEST(with_exchange(0.9) == 1u);
  BOOST_TEST(with_exchange(1.5) == 2u);
}

// A lasting difference cannot be waited out; it is the balancer's.
BOOST_AUTO_TEST_CASE(a_steady_slow_worker_earns_the_others_no_slack) {
  const std::vector<IterationTiming> workers{{1, 0.01, 0.01}, {1, 0.01, 0.01}, {2, 0.02, 0.01}};
  for (std::size_t i = 0; i < workers.size(); ++i) BOOST_TEST(slack(i, workers) <= 1u);
  BOOST_TEST(slack(0, workers) == 0u);
}

BOOST_AUTO_TEST_CASE(one_unsteady_worker_gives_slack_to_all_that_keep_its_pace) {
  std::vector<IterationTiming> workers(4, {1, 0.001, 0});
  workers[2].sigma_s = 0.3;
  for (std::size_t i = 0; i < workers.size(); ++i) BOOST_TEST(slack(i, workers) >= 2u);
}

BOOST_AUTO_TEST_CASE(slack_never_exceeds_the_threshold_and_never_falls_as_noise_or_latency_grow) {
  Random random(42);
  for (int round = 0; round < 2000; ++round) {
    std::vector<IterationTiming> workers(1 + random.below(8));
    for (auto& worker : workers) {
      worker.mean_s = 0.8 + 0.4 * random.uniform();
      worker.sigma_s = 0.3 * random.uniform();
      worker.exchange_s = random.uniform();
    }
    const std::size_t worker = random.below(workers.size());
    const auto w = static_cast<std::uint32_t>(random.below(6));
    const std::uint32_t before = slack(worker, workers, w);
    BOOST_REQUIRE(before <= w);
    BOOST_REQUIRE(slack(worker, workers, w + 1) >= before);
    auto noisier = workers;
    noisier[random.below(workers.size())].sigma_s += 0.2;
    BOOST_REQUIRE(slack(worker, noisier, w) >= before);
    auto later = workers;
    later[worker].exchange_s += 0.5;
    BOOST_REQUIRE(slack(worker, later, w) >= before);
  }
}

BOOST_AUTO_TEST_CASE(without_measurements_nobody_is_let_ahead) {
  BOOST_TEST(slack(0, std::vector<IterationTiming>(4)) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

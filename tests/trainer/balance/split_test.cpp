#include "trainer/balance/split.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;

namespace split_test {

/// Least makespan over all ways to divide `units`, by trying them all; negative: there is none.
double brute_force(std::uint32_t units, std::span<const UnitCost> costs, double so_far = 0) {
  const UnitCost& cost = costs.front();
  const auto finish = [&](std::uint32_t share) {
    return std::max(so_far, share > 0 ? cost.fixed_s + cost.unit_s * share : 0);
  };
  if (costs.size() == 1) {
    return units >= cost.units_min && units <= cost.units_max ? finish(units) : -1;
  }
  double best = -1;
  for (std::uint32_t share = cost.units_min; share <= std::min(units, cost.units_max); ++share) {
    const double rest = brute_force(units - share, costs.subspan(1), finish(share));
    if (rest >= 0 && (best < 0 || rest < best)) best = rest;
  }
  return best;
}

std::uint32_t sum(std::span<const std::uint32_t> shares) {
  return std::accumulate(shares.begin(), shares.end(), 0u);
}

std::vector<UnitCost> random_costs(Random& random, std::size_t workers, bool bounded) {
  std::vector<UnitCost> costs;
  for (std::size_t i = 0; i < workers; ++i) {
    UnitCost cost;
    cost.fixed_s = random.below(3) == 0 ? 0 : 4 * random.uniform();
    cost.unit_s = 0.1 + 2 * random.uniform();
    if (bounded) {
      cost.units_min = static_cast<std::uint32_t>(random.below(3));
      cost.units_max = cost.units_min + static_cast<std::uint32_t>(random.below(8));
    }
    costs.push_back(cost);
  }
  return costs;
}

}  // namespace split_test

BOOST_AUTO_TEST_SUITE(split_test)

BOOST_AUTO_TEST_CASE(no_split_of_any_small_case_ends_earlier) {
  Random random(11);
  int solved = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t workers = 1 + random.below(4);
    const auto units = static_cast<std::uint32_t>(1 + random.below(14));
    const auto costs = random_costs(random, workers, random.below(2) == 0);
    const double best = brute_force(units, costs);
    const auto shares = minmax_split(units, costs);
    BOOST_REQUIRE(bool(shares) == (best >= 0));
    if (!shares) continue;
    ++solved;
    BOOST_REQUIRE(sum(*shares) == units);
    BOOST_REQUIRE_CLOSE(makespan_s(costs, *shares), best, 1e-9);
    for (std::size_t i = 0; i < workers; ++i) {
      BOOST_REQUIRE((*shares)[i] >= costs[i].units_min);
      BOOST_REQUIRE((*shares)[i] <= costs[i].units_max);
    }
  }
  BOOST_TEST(solved > 1000);
}

// Goal: the water level and its margins hold at sizes no brute force reaches. Method: a unit moved
// from the last to finish to anyone with room must finish no earlier there.
BOOST_AUTO_TEST_CASE(no_single_move_improves_a_large_split) {
  Random random(12);
  for (int round = 0; round < 50; ++round) {
    const auto costs = random_costs(random, 1000, false);
    const std::uint32_t units = 1'000'000;
    const auto shares = minmax_split(units, costs);
    BOOST_REQUIRE(bool(shares));
    BOOST_REQUIRE(sum(*shares) == units);
    const double last = makespan_s(costs, *shares);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      BOOST_REQUIRE(costs[i].fixed_s + costs[i].unit_s * ((*shares)[i] + 1.0) >= last);
    }
  }
}

BOOST_AUTO_TEST_CASE(few_blocks_are_rounded_for_the_earliest_end) {
  const std::vector<UnitCost> costs{{0, 1}, {0, 1}, {0, 1}, {0, 4}};
  BOOST_TEST(minmax_split(16, costs).value() == (std::vector<std::uint32_t>{5, 5, 5, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_worker_whose_fixed_cost_is_beyond_the_level_gets_nothing) {
  const std::vector<UnitCost> costs{{0, 1}, {50, 0.01}, {0, 1}};
  BOOST_TEST(minmax_split(20, costs).value() == (std::vector<std::uint32_t>{10, 0, 10}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_slower_worker_never_gets_more) {
  Random random(13);
  for (int round = 0; round < 500; ++round) {
    auto costs = random_costs(random, 6, false);
    for (auto& cost : costs) cost.fixed_s = 0.5;
    const auto shares = minmax_split(static_cast<std::uint32_t>(random.below(100)), costs).value();
    for (std::size_t i = 0; i < costs.size(); ++i) {
      for (std::size_t j = 0; j < costs.size(); ++j) {
        if (costs[i].unit_s > costs[j].unit_s) BOOST_REQUIRE(shares[i] <= shares[j]);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(impossible_requests_are_refused) {
  const auto code = [](std::uint32_t units, std::vector<UnitCost> costs) {
    return minmax_split(units, costs).error().code;
  };
  const auto invalid = Errc::invalid_argument;
  BOOST_CHECK(code(4, {}) == invalid);
  BOOST_CHECK(code(4, {{0, 0}}) == invalid);
  BOOST_CHECK(code(4, {{-1, 1}}) == invalid);
  BOOST_CHECK(code(4, {{0, std::numeric_limits<double>::quiet_NaN()}}) == invalid);
  BOOST_CHECK(code(4, {{0, std::numeric_limits<double>::infinity()}}) == invalid);
  BOOST_CHECK(code(4, {{0, 1, 0, 3}}) == invalid);
  BOOST_CHECK(code(4, {{0, 1, 3, 9}, {0, 1, 2, 9}}) == invalid);
  BOOST_CHECK(code(4, {{0, 1, 3, 2}, {0, 1}}) == invalid);
}

BOOST_AUTO_TEST_CASE(a_division_by_weight_is_by_largest_remainder) {
  const auto split = [](std::uint32_t units, std::vector<ShareWeight> workers) {
    return proportional_split(units, workers).value();
  };
  using Shares = std::vector<std::uint32_t>;
  // 11.2, 1.6, 1.6, 1.6: where min-max would give the first one two more.
  BOOST_TEST(split(16, {{70}, {10}, {10}, {10}}) == (Shares{11, 2, 2, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(split(10, {{0.5}, {0.5}}) == (Shares{5, 5}), boost::test_tools::per_element());
  BOOST_TEST(split(7, {{0}, {0}, {0}}) == (Shares{3, 2, 2}), boost::test_tools::per_element());
  BOOST_TEST(split(7, {{1}, {0}}) == (Shares{7, 0}), boost::test_tools::per_element());
  BOOST_TEST(split(7, {{1, 0, 5}, {0}}) == (Shares{5, 2}), boost::test_tools::per_element());
  BOOST_TEST(split(12, {{1, 6}, {1}, {1}}) == (Shares{6, 3, 3}), boost::test_tools::per_element());
  BOOST_TEST(split(0, {{1}, {2}}) == (Shares{0, 0}), boost::test_tools::per_element());
}

// Goal: within a unit of its due, where no bound holds, and never less for more weight.
BOOST_AUTO_TEST_CASE(a_division_by_weight_is_within_a_unit_of_what_is_due_and_monotone) {
  Random random(14);
  for (int round = 0; round < 2000; ++round) {
    std::vector<ShareWeight> workers(1 + random.below(9));
    double total = 0;
    for (ShareWeight& worker : workers) total += worker.weight = random.uniform();
    const auto units = static_cast<std::uint32_t>(random.below(500));
    const auto shares = proportional_split(units, workers).value();
    BOOST_REQUIRE(std::accumulate(shares.begin(), shares.end(), 0u) == units);
    for (std::size_t i = 0; i < workers.size(); ++i) {
      BOOST_REQUIRE(std::abs(shares[i] - units * workers[i].weight / total) < 1 + 1e-6);
      for (std::size_t j = 0; j < workers.size(); ++j)
        if (workers[i].weight > workers[j].weight) BOOST_REQUIRE(shares[i] >= shares[j]);
    }
  }
}

BOOST_AUTO_TEST_CASE(weights_that_are_none_are_refused) {
  for (const double weight :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const std::vector<ShareWeight> workers{{1}, {weight}};
    BOOST_CHECK(proportional_split(8, workers).error().code == Errc::invalid_argument);
  }
  BOOST_CHECK(proportional_split(8, {}).error().code == Errc::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

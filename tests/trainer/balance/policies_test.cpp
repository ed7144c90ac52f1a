#include "trainer/balance/policies.hpp"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <set>
#include <string>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;

namespace {

// Every listed policy runs here; adding one adds its cases.
std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& entry : balance_policies()) result.emplace_back(entry.name);
  return result;
}

std::vector<WorkerLoad> loads_of(std::span<const double> sample_s) {
  std::vector<WorkerLoad> loads;
  for (double seconds : sample_s) {
    WorkerLoad load;
    load.worker = WorkerId(static_cast<std::uint32_t>(loads.size()));
    load.speed = {0, seconds, 0.1, 20};
    loads.push_back(load);
  }
  return loads;
}

void adopt(std::vector<WorkerLoad>& loads, std::span<const std::uint32_t> shares) {
  for (std::size_t i = 0; i < loads.size(); ++i) loads[i].units_previous = shares[i];
}

std::uint32_t sum(std::span<const std::uint32_t> shares) {
  return std::accumulate(shares.begin(), shares.end(), 0u);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(policies_test)

BOOST_AUTO_TEST_CASE(names_are_unique_and_those_of_the_policies) {
  std::set<std::string_view> seen;
  for (const auto& entry : balance_policies()) {
    BOOST_TEST(seen.insert(entry.name).second);
    BOOST_TEST(entry.make()->name() == entry.name);
    BOOST_TEST(!entry.summary.empty());
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_answered_with_the_known_ones) {
  const auto policy = make_balance_policy("adaptfr");
  BOOST_REQUIRE(!policy);
  BOOST_CHECK(policy.error().code == Errc::not_found);
  for (const auto& name : names()) {
    BOOST_TEST(policy.error().context.find(name) != std::string::npos);
  }
}

BOOST_DATA_TEST_CASE(keeps_the_sum_and_the_bounds, boost::unit_test::data::make(names()), name) {
  const auto policy = make_balance_policy(name).value();
  Random random(21);
  for (int round = 0; round < 500; ++round) {
    const std::size_t workers = 1 + random.below(12);
    const auto units = static_cast<std::uint32_t>(2 * workers + random.below(200));
    std::vector<WorkerLoad> loads;
    for (std::size_t i = 0; i < workers; ++i) {
      WorkerLoad load;
      load.worker = WorkerId(static_cast<std::uint32_t>(i));
      load.speed = {random.uniform(), 0.01 + random.uniform(), random.uniform(),
                    static_cast<std::uint32_t>(random.below(10))};
      load.units_previous = static_cast<std::uint32_t>(random.below(30));
      load.units_min = static_cast<std::uint32_t>(random.below(3));
      load.units_max = units / 2 + 1 + static_cast<std::uint32_t>(random.below(units));
      loads.push_back(load);
    }
    const auto shares = policy->split(units, 16, loads);
    if (!shares) {
      // Only one worker's bound can be below the total.
      BOOST_REQUIRE(workers == 1 && loads[0].units_max < units);
      continue;
    }
    BOOST_REQUIRE(sum(*shares) == units);
    for (std::size_t i = 0; i < workers; ++i) {
      BOOST_REQUIRE((*shares)[i] >= loads[i].units_min);
      BOOST_REQUIRE((*shares)[i] <= loads[i].units_max);
    }
  }
}

BOOST_DATA_TEST_CASE(equal_workers_get_equal_shares_and_keep_them,
                     boost::unit_test::data::make(names()), name) {
  const auto policy = make_balance_policy(name).value();
  auto loads = loads_of(std::vector<double>(8, 0.02));
  for (int step = 0; step < 5; ++step) {
    const auto shares = policy->split(64, 16, loads).value();
    BOOST_TEST(shares == std::vector<std::uint32_t>(8, 8), boost::test_tools::per_element());
    adopt(loads, shares);
  }
}

BOOST_DATA_TEST_CASE(shares_follow_the_workers_when_they_change_places,
                     boost::unit_test::data::make(names()), name) {
  const auto policy = make_balance_policy(name).value();
  Random random(22);
  for (int round = 0; round < 200; ++round) {
    const std::size_t workers = 2 + random.below(7);
    std::vector<std::pair<double, std::uint32_t>> kinds;
    const auto units = static_cast<std::uint32_t>(workers * (1 + random.below(20)));
    for (std::size_t i = 0; i < workers; ++i) {
      kinds.emplace_back(0.01 + random.uniform(), units / workers);
    }
    const auto split = [&] {
      std::vector<WorkerLoad> loads;
      for (const auto& [seconds, previous] : kinds) {
        WorkerLoad load;
        load.worker = WorkerId(static_cast<std::uint32_t>(loads.size()));
        load.speed = {0.1, seconds, 0.1, 20};
        load.units_previous = previous;
        loads.push_back(load);
      }
      return policy->split(units, 16, loads).value();
    };
    const auto shares = split();
    std::rotate(kinds.begin(), kinds.begin() + 1, kinds.end());
    auto rotated = split();
    std::rotate(rotated.begin(), rotated.end() - 1, rotated.end());
    BOOST_REQUIRE(shares == rotated);
  }
}

BOOST_DATA_TEST_CASE(nobody_to_work_is_refused, boost::unit_test::data::make(names()), name) {
  const auto policy = make_balance_policy(name).value();
  BOOST_CHECK(policy->split(16, 16, {}).error().code == Errc::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

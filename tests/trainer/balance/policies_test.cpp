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
using Shares = std::vector<std::uint32_t>;

namespace policies_test {

// Every listed policy runs here; adding one adds its cases.
std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& entry : balance_policies()) result.emplace_back(entry.name);
  return result;
}

// Those to which workers of one speed are all the same; the rest gives by name.
std::vector<std::string> impartial_names() {
  std::vector<std::string> result = names();
  std::erase_if(result, [](const auto& name) { return name == "fixed" || name == "random"; });
  return result;
}

std::unique_ptr<BalancePolicy> make(const std::string& name) {
  return make_balance_policy(name, {.fixed_shares = {3, 1, 4, 1, 5, 9, 2, 6}, .seed = 7}).value();
}

std::vector<WorkerLoad> loads_of(std::span<const double> sample_s, double fixed_s = 0) {
  std::vector<WorkerLoad> loads;
  for (double seconds : sample_s) {
    WorkerLoad load;
    load.worker = WorkerId(static_cast<std::uint32_t>(loads.size()));
    load.speed = {fixed_s, seconds, 0.1, 20};
    load.declared_sample_s = seconds;
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

// What the policy comes to after so many iterations of workers that keep their speeds.
std::vector<Shares> run(BalancePolicy& policy, std::vector<WorkerLoad> loads, std::uint32_t units,
                        std::uint64_t iterations) {
  std::vector<Shares> all;
  for (std::uint64_t iteration = 0; iteration < iterations; ++iteration) {
    all.push_back(policy.split({units, 16, iteration}, loads).value());
    adopt(loads, all.back());
  }
  return all;
}

std::vector<WorkerLoad> random_loads(Random& random, std::size_t workers, std::uint32_t units) {
  std::vector<WorkerLoad> loads;
  for (std::size_t i = 0; i < workers; ++i) {
    WorkerLoad load;
    load.worker = WorkerId(static_cast<std::uint32_t>(3 * i));
    load.speed = {random.uniform(), 0.01 + random.uniform(), random.uniform(),
                  static_cast<std::uint32_t>(random.below(10))};
    load.declared_sample_s = random.uniform();
    load.units_previous = static_cast<std::uint32_t>(random.below(30));
    load.units_min = static_cast<std::uint32_t>(random.below(3));
    load.units_max = units / 2 + 1 + static_cast<std::uint32_t>(random.below(units));
    loads.push_back(load);
  }
  return loads;
}

}  // namespace policies_test

BOOST_AUTO_TEST_SUITE(policies_test)

BOOST_AUTO_TEST_CASE(names_are_unique_and_those_of_the_policies) {
  std::set<std::string_view> seen;
  for (const auto& entry : balance_policies()) {
    BOOST_TEST(seen.insert(entry.name).second);
    BOOST_TEST(entry.make({})->name() == entry.name);
    BOOST_TEST(!entry.summary.empty());
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_answered_with_the_known_ones) {
  const auto policy = make_balance_policy("adaptfr", {});
  BOOST_REQUIRE(!policy);
  BOOST_CHECK(policy.error().code == Errc::not_found);
  for (const auto& name : names()) {
    BOOST_TEST(policy.error().context.find(name) != std::string::npos);
  }
}

// Method: one policy sees workers come, go, and change speeds, shares and bounds at random, so that
// what it remembers seldom fits.
BOOST_DATA_TEST_CASE(keeps_the_sum_and_the_bounds, boost::unit_test::data::make(names()), name) {
  const auto policy = make(name);
  Random random(21);
  for (std::uint64_t round = 0; round < 500; ++round) {
    const std::size_t workers = 1 + random.below(12);
    const auto units = static_cast<std::uint32_t>(2 * workers + random.below(200));
    const auto loads = random_loads(random, workers, units);
    const auto shares = policy->split({units, 16, round}, loads);
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
                     boost::unit_test::data::make(impartial_names()), name) {
  const auto policy = make(name);
  for (const Shares& shares : run(*policy, loads_of(std::vector<double>(8, 0.02)), 64, 120))
    BOOST_TEST(shares == Shares(8, 8), boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(shares_follow_the_workers_when_they_change_places,
                     boost::unit_test::data::make(impartial_names()), name) {
  Random random(22);
  for (int round = 0; round < 50; ++round) {
    const std::size_t workers = 2 + random.below(7);
    std::vector<double> speeds;
    const auto units = static_cast<std::uint32_t>(workers * (1 + random.below(20)));
    for (std::size_t i = 0; i < workers; ++i) speeds.push_back(0.01 + random.uniform());
    const auto settle = [&] { return run(*make(name), loads_of(speeds, 0.1), units, 60); };
    const auto before = settle();
    std::rotate(speeds.begin(), speeds.begin() + 1, speeds.end());
    auto rotated = settle();
    for (std::size_t k = 0; k < before.size(); ++k) {
      std::rotate(rotated[k].begin(), rotated[k].end() - 1, rotated[k].end());
      BOOST_REQUIRE(before[k] == rotated[k]);
    }
  }
}

BOOST_DATA_TEST_CASE(a_slower_worker_never_gets_more,
                     boost::unit_test::data::make(impartial_names()), name) {
  Random random(23);
  for (int round = 0; round < 50; ++round) {
    const std::size_t workers = 2 + random.below(7);
    std::vector<double> speeds;
    for (std::size_t i = 0; i < workers; ++i) speeds.push_back(0.01 + random.uniform());
    const double fixed_s = round % 2 == 0 ? 0 : random.uniform();
    const auto units = static_cast<std::uint32_t>(workers * (1 + random.below(30)));
    for (const Shares& shares : run(*make(name), loads_of(speeds, fixed_s), units, 150))
      for (std::size_t i = 0; i < workers; ++i)
        for (std::size_t j = 0; j < workers; ++j)
          if (speeds[i] > speeds[j]) BOOST_REQUIRE(shares[i] <= shares[j]);
  }
}

BOOST_DATA_TEST_CASE(equal_calls_give_equal_shares, boost::unit_test::data::make(names()), name) {
  const auto one = make(name);
  const auto other = make(name);
  Random random(24);
  for (std::uint64_t round = 0; round < 200; ++round) {
    const auto loads = random_loads(random, 2 + random.below(3), 64);
    BOOST_REQUIRE(one->split({64, 16, round}, loads).value() ==
                  other->split({64, 16, round}, loads).value());
  }
}

// Somebody joining or leaving is no iteration: it calls for a split in between.
BOOST_DATA_TEST_CASE(a_second_split_in_one_iteration_changes_nothing,
                     boost::unit_test::data::make(names()), name) {
  const auto policy = make(name);
  auto loads = loads_of(std::vector<double>{1, 2, 3, 4});
  for (std::uint64_t iteration = 0; iteration < 60; ++iteration) {
    adopt(loads, policy->split({64, 16, iteration}, loads).value());
    // A share that still grows, by doubling, may go on at once.
    if (name == "adapt_fr" && iteration < 5) continue;
    const auto again = policy->split({64, 16, iteration}, loads).value();
    for (std::size_t i = 0; i < loads.size(); ++i)
      BOOST_REQUIRE(again[i] == loads[i].units_previous);
  }
}

BOOST_DATA_TEST_CASE(nobody_to_work_is_refused, boost::unit_test::data::make(names()), name) {
  BOOST_CHECK(make(name)->split({16, 16, 0}, {}).error().code == Errc::invalid_argument);
}

BOOST_AUTO_TEST_CASE(work_rules_are_those_of_the_strategy) {
  const auto rules = [](const std::string& name) { return make(name)->work_rules(); };
  BOOST_TEST(rules("work_queue").queue);
  BOOST_TEST(!rules("adapt_fr").queue);
  BOOST_TEST(rules("flex_rr").helpers == 2u);
  BOOST_TEST(rules("flex_rr").take_over);
  BOOST_TEST(!rules("backup_workers").take_over);
  BOOST_TEST(rules("backup_workers").overdue_factor == 1.5);
  BOOST_TEST(rules("equal").overdue_factor == 0);
}

// Of five workers, the two after 3 are 4 and 0.
BOOST_AUTO_TEST_CASE(helpers_are_the_next_workers_around_the_end) {
  const auto helpers = [](const WorkRules& rules) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t worker : {0u, 1u, 2u, 4u})
      if (may_help(rules, 5, WorkerId{worker}, WorkerId{3})) found.push_back(worker);
    return found;
  };
  BOOST_TEST(helpers({.helpers = 2}) == (Shares{0, 4}), boost::test_tools::per_element());
  BOOST_TEST(helpers({}) == (Shares{0, 1, 2, 4}), boost::test_tools::per_element());
  BOOST_TEST(helpers({.take_over = false, .helpers = 2}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

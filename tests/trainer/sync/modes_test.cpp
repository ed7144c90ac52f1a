#include "trainer/sync/modes.hpp"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;

namespace modes_test {

// Every listed mode runs here; adding one adds its cases. A promise that a mode does not give, by
// what it is, leaves that mode out by name.
std::vector<std::string> names(const std::set<std::string_view>& without = {}) {
  std::vector<std::string> result;
  for (const auto& entry : sync_modes())
    if (!without.contains(entry.name)) result.emplace_back(entry.name);
  return result;
}

std::vector<IterationTiming> random_timings(Random& random) {
  std::vector<IterationTiming> workers(1 + random.below(8));
  for (auto& worker : workers) {
    worker.mean_s = 0.5 + random.uniform();
    worker.sigma_s = 0.4 * random.uniform() * worker.mean_s;
    worker.exchange_s = random.below(2) == 0 ? 0 : 2 * random.uniform();
  }
  return workers;
}

}  // namespace modes_test

BOOST_AUTO_TEST_SUITE(modes_test)

BOOST_AUTO_TEST_CASE(names_are_unique_and_those_of_the_modes) {
  std::set<std::string_view> seen;
  for (const auto& entry : sync_modes()) {
    BOOST_TEST(seen.insert(entry.name).second);
    BOOST_TEST(entry.make({})->name() == entry.name);
    BOOST_TEST(!entry.summary.empty());
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_answered_with_the_known_ones) {
  const auto mode = make_sync_mode("bulk", {});
  BOOST_REQUIRE(!mode);
  BOOST_CHECK(mode.error().code == Errc::not_found);
  for (const auto& name : names()) {
    BOOST_TEST(mode.error().context.find(name) != std::string::npos);
  }
}

// asp lets everybody ahead and ssp by as much as it is told; both look at no worker.
BOOST_DATA_TEST_CASE(equal_and_steady_workers_are_not_let_ahead,
                     boost::unit_test::data::make(names({"asp", "ssp"})), name) {
  const auto mode = make_sync_mode(name, {.staleness_max = 3}).value();
  for (std::size_t count : {1u, 4u, 64u}) {
    const std::vector<IterationTiming> workers(count, {1, 0.001, 0.001});
    for (std::size_t i = 0; i < count; ++i) BOOST_TEST(mode->slack(i, workers) == 0u);
  }
}

BOOST_DATA_TEST_CASE(slack_follows_the_workers_when_they_change_places,
                     boost::unit_test::data::make(names()), name) {
  const auto mode = make_sync_mode(name, {.staleness_max = 3}).value();
  Random random(31);
  for (int round = 0; round < 500; ++round) {
    auto workers = random_timings(random);
    std::vector<std::uint32_t> before;
    for (std::size_t i = 0; i < workers.size(); ++i) before.push_back(mode->slack(i, workers));
    std::rotate(workers.begin(), workers.begin() + 1, workers.end());
    std::rotate(before.begin(), before.begin() + 1, before.end());
    for (std::size_t i = 0; i < workers.size(); ++i) {
      BOOST_REQUIRE(mode->slack(i, workers) == before[i]);
    }
  }
}

BOOST_DATA_TEST_CASE(slack_is_bounded_and_the_same_whenever_it_is_asked_for,
                     boost::unit_test::data::make(names()), name) {
  constexpr std::uint32_t w = 5;
  const auto mode = make_sync_mode(name, {.staleness_max = w, .staleness_min = 2}).value();
  const auto again = make_sync_mode(name, {.staleness_max = w, .staleness_min = 2}).value();
  const std::uint32_t most = mode->on_demand() ? SyncMode::lead_max : w;
  Random random(33);
  for (int round = 0; round < 500; ++round) {
    const auto workers = random_timings(random);
    for (std::size_t i = 0; i < workers.size(); ++i) {
      BOOST_REQUIRE(mode->slack(i, workers) <= most);
      BOOST_REQUIRE(mode->slack(i, workers) == again->slack(i, workers));
    }
  }
}

BOOST_DATA_TEST_CASE(slack_can_be_asked_for_before_anything_is_measured,
                     boost::unit_test::data::make(names()), name) {
  const auto mode = make_sync_mode(name, {.staleness_max = 3, .staleness_min = 1}).value();
  const std::vector<IterationTiming> workers(4);
  BOOST_TEST(mode->slack(3, workers) <= SyncMode::lead_max);
  BOOST_TEST(mode->slack(0, {workers.data(), 1}) == mode->slack(3, workers));
}

// asp has no threshold.
BOOST_DATA_TEST_CASE(a_threshold_of_zero_lets_nobody_ahead,
                     boost::unit_test::data::make(names({"asp"})), name) {
  const auto mode = make_sync_mode(name, {.staleness_max = 0}).value();
  Random random(32);
  for (int round = 0; round < 200; ++round) {
    const auto workers = random_timings(random);
    for (std::size_t i = 0; i < workers.size(); ++i) BOOST_REQUIRE(mode->slack(i, workers) == 0u);
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "trainer/emulate/ideal_makespan.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "runtime/base/random.hpp"
#include "trainer/emulate/speed_profile.hpp"

using namespace slime;
using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(ideal_makespan_test)

BOOST_AUTO_TEST_CASE(constant_speeds_add_up) {
  const EmulationSpec emulation{.sample_us = 1000, .speeds = {1, 1, 1, 0.25}};
  const std::vector<Lifetime> workers{{WorkerId(0)}, {WorkerId(1)}, {WorkerId(2)}, {WorkerId(3)}};
  BOOST_TEST(ideal_makespan_s(emulation, workers, 3250).value() == 1.0);
  BOOST_TEST(ideal_makespan_s(emulation, workers, 0).value() == 0.0);
}

BOOST_AUTO_TEST_CASE(stalls_changes_joins_and_deaths_count_to_the_moment) {
  EmulationSpec emulation{.sample_us = 1000, .speeds = {1, 1}};
  emulation.stalls.push_back({WorkerId(0), 1, 1});
  emulation.changes.push_back({WorkerId(1), 2, 3});
  // Worker 0 does 1 s of work until 1, nothing until 2, then runs on; worker 1 joins at 0.5, speeds
  // up threefold at 2 and dies at 3; worker 2, not in the list of speeds, joins at 3.
  const std::vector<Lifetime> workers{{WorkerId(0)}, {WorkerId(1), 0.5, 3}, {WorkerId(2), 3}};
  const auto ideal = [&](std::uint64_t samples) {
    return ideal_makespan_s(emulation, workers, samples).value();
  };
  const auto close = boost::test_tools::tolerance(1e-12);
  BOOST_TEST(ideal(500) == 0.5, close);
  BOOST_TEST(ideal(1500) == 1.0, close);
  BOOST_TEST(ideal(2000) == 1.5, close);
  BOOST_TEST(ideal(2500) == 2.0, close);
  BOOST_TEST(ideal(4500) == 2.5, close);
  BOOST_TEST(ideal(6500) == 3.0, close);
  BOOST_TEST(ideal(8500) == 4.0, close);
}

BOOST_AUTO_TEST_CASE(the_work_done_by_then_is_the_work_there_was) {
  Random random(61);
  for (int round = 0; round < 200; ++round) {
    EmulationSpec emulation{.sample_us = 1000};
    std::vector<Lifetime> workers;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const WorkerId worker{i};
      emulation.speeds.push_back(0.1 + random.uniform());
      emulation.changes.push_back({worker, 20 * random.uniform(), 0.1 + random.uniform()});
      emulation.stalls.push_back({worker, 20 * random.uniform(), 3 * random.uniform()});
      workers.push_back({worker, 3 * random.uniform()});
      if (i > 0) workers.back().death_s = 4 + 10 * random.uniform();
    }
    const std::uint64_t samples = 1 + random.below(20'000);
    const double ideal = ideal_makespan_s(emulation, workers, samples).value();
    double work = 0;
    for (const Lifetime& life : workers) {
      work += SpeedProfile(emulation, life.worker).work(life.join_s, std::min(life.death_s, ideal));
    }
    BOOST_REQUIRE_CLOSE(work, static_cast<double>(samples) / 1000, 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(work_that_outlives_the_workers_is_refused) {
  const EmulationSpec emulation{.sample_us = 1000};
  const std::vector<Lifetime> workers{{WorkerId(0), 0, 1}, {WorkerId(1), 0, 2}};
  BOOST_TEST(ideal_makespan_s(emulation, workers, 3000).value() == 2.0);
  BOOST_CHECK(ideal_makespan_s(emulation, workers, 3001).error().code == Errc::invalid_argument);
  BOOST_CHECK(ideal_makespan_s(emulation, {}, 1).error().code == Errc::invalid_argument);
  BOOST_CHECK(ideal_makespan_s({}, workers, 1).error().code == Errc::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

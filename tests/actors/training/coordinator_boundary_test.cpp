#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <vector>

#include "actors/training/coordinator.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
using runtime::Verdict;

BOOST_FIXTURE_TEST_SUITE(coordinator_boundary_test, SmallData)

// Goal: the balancer's clock is the run's, which stands still during an evaluation. Method: for
// a second, all scores are lost.
BOOST_AUTO_TEST_CASE(the_balancer_s_clock_stands_still_during_an_evaluation) {
  struct Told {
    Instant when;
    Duration elapsed;
    bool ticking;
  };
  std::vector<Told> told;
  TrainingJob job(1, {}, {.workers = 1, .speeds = {1}}, *this);
  std::optional<Instant> first;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (delivery.message.type == runtime::type_id<schema::RunTime>())
      Message<schema::RunTime>::adopt(delivery.message.words).read([&](auto read) {
        told.push_back({delivery.now, Duration(read.getElapsedNs()), read.getTicking()});
      });
    if (delivery.message.type != runtime::type_id<schema::Evaluated>()) return Verdict::deliver;
    if (!first) first = delivery.now;
    return delivery.now < *first + 1s ? Verdict::drop : Verdict::deliver;
  });
  BOOST_REQUIRE(job.run(60s).has_value());
  // Hired, the first grant, the end of either epoch, and the second one.
  const auto stopped = std::ranges::find_if(
      told, [](const Told& each) { return !each.ticking && each.elapsed > Duration::zero(); });
  BOOST_REQUIRE(told.end() - stopped >= 2);
  BOOST_TEST(stopped[1].ticking);
  BOOST_TEST((stopped[1].elapsed == stopped->elapsed));
  BOOST_TEST((stopped[1].when - stopped->when > 900ms));
}

BOOST_AUTO_TEST_SUITE_END()

#include "tools/slime/record/worker_lane.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime::tools;

namespace {

/// Ten seconds on a hundred places.
const LanePlace at{.x = {0, 10, 0, 100}, .y = 0, .height = 15};

GroupMark group(double run_s, float compute_s, float wait_s = 0) {
  return {
      .compute_s = compute_s, .fetch_s = 0.5F, .push_s = 0.25F, .wait_s = wait_s, .run_s = run_s};
}

std::ptrdiff_t boxes(const std::string& path) {
  return std::ranges::count(path, 'M');
}

}  // namespace

BOOST_AUTO_TEST_SUITE(worker_lane_test)

BOOST_AUTO_TEST_CASE(a_group_is_drawn_up_to_when_it_was_sealed) {
  const std::vector<GroupMark> groups{group(2, 1, 0.5F), group(5, 2, 1)};
  const WorkerLane lane = worker_lane(groups, at, 100);
  BOOST_TEST(lane.compute == "M10 0h10v15h-10zM30 0h20v15h-20z");
  BOOST_TEST(lane.wait == "M5 0h5v15h-5zM20 0h10v15h-10z");
  BOOST_TEST(lane.fetch == "M5 16h5v5h-5zM25 16h5v5h-5z");
  // Of the group before: the first has none, so its own is drawn from the run's start.
  BOOST_TEST(lane.push == "M0 16h2.5v5h-2.5zM20 16h2.5v5h-2.5z");
}

BOOST_AUTO_TEST_CASE(no_time_is_drawn_twice) {
  // The second group claims more than there was since the first.
  const std::vector<GroupMark> groups{group(2, 1), group(3, 100, 100)};
  const WorkerLane lane = worker_lane(groups, at, 100);
  BOOST_TEST(lane.compute == "M10 0h10v15h-10zM20 0h10v15h-10z");
  BOOST_TEST(lane.wait.empty());
}

BOOST_AUTO_TEST_CASE(many_groups_become_columns_as_high_as_they_were_busy) {
  std::vector<GroupMark> groups;
  for (int i = 1; i <= 10'000; ++i) groups.push_back(group(i * 0.001, 0.0005F, 0.0005F));
  const WorkerLane lane = worker_lane(groups, at, 50);
  // All alike, so one box: half of the row, and the other half above it.
  BOOST_TEST(lane.compute == "M0 7.5h100v7.5h-100z");
  BOOST_TEST(lane.wait == "M0 0h100v7.5h-100z");
  groups.resize(5000);
  BOOST_TEST(boxes(worker_lane(groups, at, 50).compute) >= 1);
  BOOST_TEST(boxes(worker_lane(groups, at, 50).compute) <= 50);
}

BOOST_AUTO_TEST_CASE(nothing_done_is_nothing_drawn) {
  const WorkerLane lane = worker_lane({}, at, 10);
  BOOST_TEST((lane.compute + lane.wait + lane.fetch + lane.push).empty());
}

BOOST_AUTO_TEST_CASE(a_clock_that_goes_back_does_no_harm) {
  std::vector<GroupMark> groups;
  for (int i = 0; i < 100; ++i) groups.push_back(group(i % 2 == 0 ? 8 : 4, 3, 1));
  BOOST_TEST(boxes(worker_lane(groups, at, 10).compute) <= 10);
  BOOST_TEST(boxes(worker_lane(groups, at, 1000).compute) <= 100);
}

BOOST_AUTO_TEST_SUITE_END()

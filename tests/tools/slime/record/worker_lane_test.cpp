#include "tools/slime/record/worker_lane.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

using namespace slime::tools;

namespace worker_lane_test {

/// Ten seconds on a hundred places.
const LanePlace at{.x = {0, 10, 0, 100}, .y = 0, .height = 15};

GroupMark group(double run_s, float compute_s, float wait_s = 0) {
  return {
      .compute_s = compute_s, .fetch_s = 0.5F, .push_s = 0.25F, .wait_s = wait_s, .run_s = run_s};
}

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

std::vector<Box> boxes(const std::string& path) {
  std::vector<Box> all;
  std::istringstream text(path);
  for (char letter = 0; text >> letter;) {
    Box box;
    double back = 0;
    text >> box.x >> box.y >> letter >> box.width >> letter >> box.height >> letter >> back;
    BOOST_TEST(back == -box.width);
    text >> letter;
    BOOST_TEST(letter == 'z');
    all.push_back(box);
  }
  return all;
}

/// Seconds that a path of columns shows as filled.
double filled_s(const std::string& path, double height) {
  double area = 0;
  for (const Box& box : boxes(path)) area += box.width * box.height;
  return area / height / 10;
}

}  // namespace worker_lane_test

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
  // And nothing where there are none.
  BOOST_TEST(worker_lane(groups, at, 50).compute == "M0 7.5h50v7.5h-50z");
  BOOST_TEST(worker_lane(groups, at, 50).wait == "M0 0h50v7.5h-50z");
}

// Goal: columns show as much work as there was, each in its place and none above its row.
BOOST_AUTO_TEST_CASE(columns_hold_what_was_done) {
  std::vector<GroupMark> groups;
  double compute_s = 0, wait_s = 0;
  for (int i = 1; i <= 1000; ++i) {
    // Busier and busier, less and less waiting.
    groups.push_back(
        group(i * 0.01, 1e-5F * static_cast<float>(i), 8e-6F * static_cast<float>(1000 - i)));
    compute_s += groups.back().compute_s;
    wait_s += groups.back().wait_s;
  }
  const WorkerLane lane = worker_lane(groups, at, 40);
  BOOST_TEST(std::abs(filled_s(lane.compute, at.height) - compute_s) < 0.02 * compute_s);
  BOOST_TEST(std::abs(filled_s(lane.wait, at.height) - wait_s) < 0.02 * wait_s);
  const auto computing = boxes(lane.compute);
  BOOST_TEST(computing.size() == 40u);
  for (std::size_t i = 0; i < computing.size(); ++i) {
    BOOST_TEST(std::abs(computing[i].x - 2.5 * static_cast<double>(i)) <= 0.051);
    BOOST_TEST(std::abs(computing[i].y + computing[i].height - at.height) < 1e-9);
    BOOST_TEST((i == 0 || computing[i].height > computing[i - 1].height));
  }
  for (const Box& box : boxes(lane.wait)) BOOST_TEST(box.y >= 0);
}

BOOST_AUTO_TEST_CASE(nothing_done_is_nothing_drawn) {
  const WorkerLane lane = worker_lane({}, at, 10);
  BOOST_TEST((lane.compute + lane.wait + lane.fetch + lane.push).empty());
}

BOOST_AUTO_TEST_CASE(a_clock_that_goes_back_does_no_harm) {
  std::vector<GroupMark> groups;
  for (int i = 0; i < 100; ++i) groups.push_back(group(i % 2 == 0 ? 8 : 4, 3, 1));
  // Every second one ends before it can have begun.
  std::string compute, wait;
  for (int i = 0; i < 50; ++i) {
    compute += "M50 0h30v15h-30z";
    wait += "M40 0h10v15h-10z";
  }
  BOOST_TEST(worker_lane(groups, at, 1000).compute == compute);
  BOOST_TEST(worker_lane(groups, at, 1000).wait == wait);
  // However often, a column is full once.
  BOOST_TEST(worker_lane(groups, at, 10).compute == "M50 0h30v15h-30z");
  BOOST_TEST(worker_lane(groups, at, 10).wait == "M40 0h10v15h-10z");
}

BOOST_AUTO_TEST_SUITE_END()

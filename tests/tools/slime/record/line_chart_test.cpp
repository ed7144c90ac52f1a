#include "tools/slime/record/line_chart.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/tools/slime/record/occurrences.hpp"

using namespace slime::tests;
using namespace slime::tools;

namespace line_chart_test {

std::vector<Point> many_points(std::size_t number) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < number; ++i)
    points.push_back({static_cast<double>(i) / static_cast<double>(number), i == 777 ? 9.0 : 0.5});
  return points;
}

}  // namespace line_chart_test

BOOST_AUTO_TEST_SUITE(line_chart_test)

BOOST_AUTO_TEST_CASE(a_chart_has_one_path_for_each_series) {
  const std::vector<Series> series{{"one", "red", {{0, 0}, {1, 1}}, false},
                                   {"<two>", "blue", {{0, 1}, {0.5, 0.5}, {1, 0}}, true},
                                   {"empty", "green", {}, false}};
  Chart chart;
  chart.title = "a chart";
  chart.levels = {0.5};
  const std::string text = line_chart(chart, series, 1000);
  BOOST_TEST(occurrences(text, "class=\"line\"") == 3u);
  BOOST_TEST(occurrences(text, "class=\"level\"") == 1u);
  BOOST_TEST(occurrences(text, "<svg ") == 1u);
  BOOST_TEST(occurrences(text, "</svg>") == 1u);
  BOOST_TEST(occurrences(text, "&lt;two&gt;") == 1u);
  // Lines go straight to the next point, steps along and then up.
  BOOST_TEST(text.find("L") != std::string::npos);
  BOOST_TEST(text.find("V") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(few_points_are_all_drawn) {
  const auto points = many_points(40);
  BOOST_TEST(thinned(points, 1, 10).size() == 40u);
}

BOOST_AUTO_TEST_CASE(of_many_points_the_extremes_stay) {
  const auto kept = thinned(many_points(100'000), 1, 50);
  BOOST_TEST(kept.size() <= 4u * 50);
  BOOST_TEST(std::ranges::count(kept, 9.0, &Point::y) == 1);
  BOOST_TEST(std::ranges::is_sorted(kept, {}, &Point::x));
}

// Goal: time that goes to and fro does not make a page grow.
BOOST_AUTO_TEST_CASE(points_out_of_order_are_bounded_too) {
  std::vector<Point> points;
  for (int i = 0; i < 100'000; ++i) points.push_back({i % 2 == 0 ? 0.1 : 0.9, 0.5});
  BOOST_TEST(thinned(points, 1, 50).size() <= 8u * 50);
}

BOOST_AUTO_TEST_SUITE_END()

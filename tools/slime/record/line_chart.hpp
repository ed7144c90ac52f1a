#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace slime::tools {

struct Point {
  double x = 0;
  double y = 0;
};

/// One line of a chart.
struct Series {
  std::string name;  ///< Told where it is pointed at; may hold anything.
  std::string colour;
  std::vector<Point> points;  ///< In the order in which they are joined.
  bool steps = false;         ///< A value holds until the next point.
};

struct Chart {
  std::string title;
  std::string x_name;
  std::string y_name;
  double x_to = 1;
  double y_from = 0;
  double y_to = 1;
  std::vector<double> levels{};  ///< Drawn across.
};

/// As many of `points` as look alike: of each of so many columns of [0, x_to] the first, the
/// lowest, the highest and the last one.
std::vector<Point> thinned(const std::vector<Point>& points, double x_to, std::size_t columns);

/// The chart as an `svg` element with one `path` of class "line" for each series, in about
/// `points_max` points.
std::string line_chart(const Chart& chart, std::span<const Series> series, std::size_t points_max);

}  // namespace slime::tools

#include "tools/slime/record/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/slime/record/drawing.hpp"

namespace slime::tools {

namespace {

constexpr std::size_t points_of_column = 4;

std::size_t column_of(const Point& point, double x_to, std::size_t columns) {
  const double part = x_to > 0 ? std::clamp(point.x / x_to, 0.0, 1.0) : 0;
  return static_cast<std::size_t>(part * static_cast<double>(columns - 1) + 0.5);
}

std::string path_of(const Series& series, const std::vector<Point>& points, const Scale& x,
                    const Scale& y) {
  std::string path;
  for (const Point& point : points) {
    if (path.empty())
      path += fmt::format("M{} {}", place(x(point.x)), place(y(point.y)));
    else if (series.steps)
      path += fmt::format("H{}V{}", place(x(point.x)), place(y(point.y)));
    else
      path += fmt::format("L{} {}", place(x(point.x)), place(y(point.y)));
  }
  return path;
}

}  // namespace

std::vector<Point> thinned(const std::vector<Point>& points, double x_to, std::size_t columns) {
  if (points.size() <= points_of_column * columns) return points;
  std::vector<Point> kept;
  for (std::size_t first = 0; first < points.size();) {
    const std::size_t column = column_of(points[first], x_to, columns);
    std::size_t end = first, lowest = first, highest = first;
    for (; end < points.size() && column_of(points[end], x_to, columns) == column; ++end) {
      if (points[end].y < points[lowest].y) lowest = end;
      if (points[end].y > points[highest].y) highest = end;
    }
    std::array<std::size_t, points_of_column> wanted{first, lowest, highest, end - 1};
    std::ranges::sort(wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (i == 0 || wanted[i] != wanted[i - 1]) kept.push_back(points[wanted[i]]);
    first = end;
  }
  // Where time goes to and fro there are more.
  while (kept.size() > 2 * points_of_column * columns) {
    std::size_t half = 0;
    for (std::size_t i = 0; i < kept.size(); i += 2) kept[half++] = kept[i];
    kept.resize(half);
  }
  return kept;
}

std::string line_chart(const Chart& chart, std::span<const Series> series, std::size_t points_max) {
  const Frame frame;
  const Scale x = frame.x(chart.x_to);
  const Scale y = frame.y(chart.y_from, chart.y_to);
  std::string text = frame.open("chart", chart.title) + frame.x_axis(x, chart.x_name) +
                     frame.y_axis(y, chart.y_name);
  const std::size_t columns =
      DrawingBudget::part(points_max / points_of_column, series.size(), 20, 480);
  for (const double level : chart.levels)
    text += fmt::format("<path class=\"level\" d=\"M{} {}H{}\"/>", place(x.start), place(y(level)),
                        place(x.end));
  for (const Series& line : series)
    text += fmt::format("<path class=\"line\" stroke=\"{}\" d=\"{}\"><title>{}</title></path>\n",
                        line.colour, path_of(line, thinned(line.points, chart.x_to, columns), x, y),
                        html_text(line.name));
  return text + "</svg>\n";
}

}  // namespace slime::tools

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slime::tools {

/// `text` as the content of an HTML element or attribute, on one line, whatever is in it.
std::string html_text(std::string_view text);

/// Where values are drawn: `from` at `start`, `to` at `end`; what lies beyond is drawn at the edge.
struct Scale {
  double from = 0;
  double to = 1;
  double start = 0;
  double end = 1;

  double operator()(double value) const;
};

/// A place in a drawing: tenths are enough, and shorter.
std::string place(double at);

/// Round numbers in [from, to], about `about` of them.
std::vector<double> ticks(double from, double to, unsigned about);

/// A rectangle for the `d` of a path, so that a thousand of them are one element.
std::string box(double x, double y, double width, double height);

/// One for each worker, told apart from its neighbours.
std::string worker_colour(std::uint32_t worker);

/// How much of its runs a page has room for, so that it stays a few megabytes whatever they did.
struct DrawingBudget {
  explicit DrawingBudget(std::size_t runs);

  std::size_t workers;  ///< Drawn of each run, the first ones by id.
  std::size_t rows;     ///< Of each table.
  std::size_t bars;     ///< Of each run's timeline, over all workers.
  std::size_t points;   ///< Of each chart, over all its lines.

  /// A worker's part of `all`, when so many are drawn.
  static std::size_t part(std::size_t all, std::size_t drawn, std::size_t least, std::size_t most);
};

/// What all drawings share: their size and the room around the curves.
struct Frame {
  static constexpr double width = 960, left = 70, right = 14, top = 10, bottom = 36;

  double height = 240;

  Scale x(double to) const { return {0, to > 0 ? to : 1, left, width - right}; }
  Scale y(double from, double to) const;
  /// Opens the drawing and draws its axes. @param title  For those who cannot see it.
  std::string open(std::string_view kind, std::string_view title) const;
  std::string x_axis(const Scale& x, std::string_view name) const;
  std::string y_axis(const Scale& y, std::string_view name) const;
};

}  // namespace slime::tools

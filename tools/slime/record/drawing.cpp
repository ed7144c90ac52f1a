#include "tools/slime/record/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/slime/utf8.hpp"

namespace slime::tools {

std::string html_text(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0)
      safe += utf8_replacement;
    else if (first == '&')
      safe += "&amp;";
    else if (first == '<')
      safe += "&lt;";
    else if (first == '>')
      safe += "&gt;";
    else if (first == '"')
      safe += "&quot;";
    else if (first == '\'')
      safe += "&#39;";
    else if (first < 0x20 || first == 0x7f)
      safe += ' ';
    else
      safe += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return safe;
}

double Scale::operator()(double value) const {
  const double part = to > from ? std::clamp((value - from) / (to - from), 0.0, 1.0) : 0;
  return start + part * (end - start);
}

std::string place(double at) {
  return fmt::format("{}", std::round(at * 10) / 10);
}

std::vector<double> ticks(double from, double to, unsigned about) {
  if (!(to - from > 1e-12) || about == 0) return {};
  const double rough = (to - from) / about;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double nice : {1.0, 2.0, 5.0})
    if (nice * power >= rough) {
      step = nice * power;
      break;
    }
  std::vector<double> found;
  for (double index = std::ceil(from / step); index * step <= to + step * 1e-9; ++index)
    found.push_back(index * step);
  return found;
}

std::string box(double x, double y, double width, double height) {
  const std::string wide = place(std::max(width, 0.1));
  return fmt::format("M{} {}h{}v{}h-{}z", place(x), place(y), wide, place(height), wide);
}

std::string worker_colour(std::uint32_t worker) {
  // Steps of the golden angle.
  const double hue = std::fmod(210 + 137.508 * worker, 360);
  return fmt::format("hsl({:.0f} 62% 44%)", hue);
}

DrawingBudget::DrawingBudget(std::size_t runs)
    : workers(std::clamp<std::size_t>(512 / std::max<std::size_t>(runs, 1), 8, 64)),
      rows(std::clamp<std::size_t>(400 / std::max<std::size_t>(runs, 1), 20, 200)),
      bars(25'000 / std::max<std::size_t>(runs, 1)),
      points(12'000 / std::max<std::size_t>(runs, 1)) {}

std::size_t DrawingBudget::part(std::size_t all, std::size_t drawn, std::size_t least,
                                std::size_t most) {
  return std::clamp(all / std::max<std::size_t>(drawn, 1), least, most);
}

Scale Frame::y(double from, double to) const {
  return {from, to > from ? to : from + 1, height - bottom, top};
}

std::string Frame::open(std::string_view kind, std::string_view title) const {
  return fmt::format(
      "<svg class=\"{0}\" viewBox=\"0 0 {1} {2}\" role=\"img\" aria-label=\"{3}\"><title>{3}"
      "</title>\n",
      kind, place(width), place(height), html_text(title));
}

std::string Frame::x_axis(const Scale& x, std::string_view name) const {
  std::string text;
  std::string lines;
  for (const double tick : ticks(x.from, x.to, 10)) {
    lines += fmt::format("M{} {}v{}", place(x(tick)), place(top), place(height - bottom - top));
    // At the edge there is no room on both sides.
    const bool at_edge = x(tick) > width - 2 * right;
    text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{:g}</text>", place(x(tick)),
                        place(height - bottom + 14), at_edge ? "end" : "middle", tick);
  }
  return fmt::format(
      "<path class=\"grid\" d=\"{}\"/>{}<text x=\"{}\" y=\"{}\" "
      "text-anchor=\"end\">{}</text>\n",
      lines, text, place(width - right), place(height - 6), html_text(name));
}

std::string Frame::y_axis(const Scale& y, std::string_view name) const {
  std::string text;
  std::string lines;
  for (const double tick : ticks(y.from, y.to, 5)) {
    lines += fmt::format("M{} {}h{}", place(left), place(y(tick)), place(width - right - left));
    text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:g}</text>", place(left - 6),
                        place(y(tick) + 4), tick);
  }
  return fmt::format("<path class=\"grid\" d=\"{}\"/>{}<text x=\"4\" y=\"{}\">{}</text>\n", lines,
                     text, place(height - 6), html_text(name));
}

}  // namespace slime::tools

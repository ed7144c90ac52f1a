#include "tools/slime/settings/interval.hpp"

#include <charconv>
#include <optional>
#include <string>

namespace slime::tools {

namespace {

std::optional<double> parse_bound(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool Interval::contains(double value) const {
  return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
}

Result<Interval> Interval::parse(std::string_view text) {
  const Error error{Errc::invalid_argument, "\"" + std::string(text) + "\" is no interval"};
  const std::size_t comma = text.find(',');
  if (text.size() < 5 || comma == std::string_view::npos) return error;
  const char first = text.front();
  const char last = text.back();
  if ((first != '[' && first != '(') || (last != ']' && last != ')')) return error;
  const auto low = parse_bound(text.substr(1, comma - 1));
  const auto high = parse_bound(text.substr(comma + 1, text.size() - comma - 2));
  if (!low || !high || !(*low <= *high)) return error;
  return Interval{*low, *high, first == '(', last == ')'};
}

}  // namespace slime::tools

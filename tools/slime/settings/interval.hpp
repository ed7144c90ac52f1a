#pragma once

#include <string_view>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// The numbers a setting allows, as the schema's `$range` writes them: "[1, 4096]", "(0, inf)".
struct Interval {
  double low = 0;
  double high = 0;
  bool low_open = false;
  bool high_open = false;

  /// False for NaN.
  bool contains(double value) const;

  /// Errors: invalid_argument (not an interval, or an empty one).
  static Result<Interval> parse(std::string_view text);
};

}  // namespace slime::tools

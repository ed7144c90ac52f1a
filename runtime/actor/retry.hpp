#pragma once

#include <algorithm>
#include <chrono>

#include "runtime/base/clock.hpp"

namespace slime::runtime {

/// How long each try of a repeated ask waits for an answer: `first`, and then twice as long as the
/// try before, up to `most`. So a lost message costs little, and a question that waits for
/// something else to happen is hardly repeated. Plain data.
struct Retry {
  /// Every try waits equally long. Implicit: a duration says all there is.
  template <class Count, class Unit>
  constexpr Retry(std::chrono::duration<Count, Unit> each) : first(each), most(each) {}
  /// A `first` beyond `most` is cut to that.
  constexpr Retry(Duration first_wait, Duration longest)
      : first(std::min(first_wait, longest)), most(longest) {}

  /// What the try after one that waited for `wait` waits for.
  constexpr Duration after(Duration wait) const {
    // Nothing doubles beyond what a Duration holds, nor stays at zero.
    constexpr Duration least = std::chrono::milliseconds(1);
    return wait >= most / 2 ? most : std::min(std::max(2 * wait, least), most);
  }

  Duration first;
  Duration most;
};

}  // namespace slime::runtime

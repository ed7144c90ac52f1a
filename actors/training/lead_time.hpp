#pragma once

#include <cstddef>

#include "runtime/actor/retry.hpp"

namespace slime::actors {

/// How long any answer to a kind of question may take: hardly one takes longer. It says how early
/// to ask for something that is to be there in time and not long before, and when to ask again.
/// Smoothed times and deviations as in RFC 6298, section 2. Owned by one actor; no call blocks.
class LeadTime {
 public:
  /// One answer took this long.
  void observe(double answer_s);

  /// 0 before the first observation.
  double seconds() const { return mean_s_ + 4 * deviation_s_; }

  /// When to ask again, at first after `seconds()`, not before 20 ms and at last every second;
  /// every second before the first observation. To each is added what the transfer of `bytes`, of
  /// question and answer together, takes on the slowest link that we reckon with (4 MiB/s).
  runtime::Retry retry(std::size_t bytes = 0) const;

 private:
  bool observed_ = false;
  double mean_s_ = 0;
  double deviation_s_ = 0;
};

}  // namespace slime::actors

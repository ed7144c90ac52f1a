#pragma once

namespace slime::actors {

/// How early to ask for something that is to be there in time and not long before: hardly any
/// answer takes longer than this. Smoothed times and deviations as in RFC 6298, section 2. Owned
/// by one actor; no call blocks.
class LeadTime {
 public:
  /// One answer took this long.
  void observe(double answer_s);

  /// 0 before the first observation.
  double seconds() const { return mean_s_ + 4 * deviation_s_; }

 private:
  bool observed_ = false;
  double mean_s_ = 0;
  double deviation_s_ = 0;
};

}  // namespace slime::actors

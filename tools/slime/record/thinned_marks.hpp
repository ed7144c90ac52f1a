#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace slime::tools {

/// Marks of what happened often, of which a bounded number is kept for drawing: at the bound each
/// two neighbours become one, and from then on twice as many of those that come, so that what is
/// kept stays evenly spread. `Mark` has a `join(earlier, later)`.
template <class Mark>
class ThinnedMarks {
 public:
  /// @param most  Rounded up to an even number.
  explicit ThinnedMarks(std::size_t most) : most_(std::max<std::size_t>((most + 1) / 2 * 2, 2)) {}

  void add(Mark mark) {
    open_ = open_ ? join(*open_, mark) : std::move(mark);
    if (++joined_ < each_) return;
    close();
    if (marks_.size() == most_) halve();
  }
  bool thinned() const { return each_ > 1; }
  /// In the order in which they came.
  std::vector<Mark> take() && {
    if (open_) close();
    return std::move(marks_);
  }

 private:
  void close() {
    marks_.push_back(std::move(*open_));
    open_.reset();
    joined_ = 0;
  }
  void halve() {
    for (std::size_t i = 0; i < most_ / 2; ++i) marks_[i] = join(marks_[2 * i], marks_[2 * i + 1]);
    marks_.resize(most_ / 2);
    each_ *= 2;
  }

  std::size_t most_;
  std::vector<Mark> marks_;
  std::uint64_t each_ = 1;    ///< What a mark stands for.
  std::optional<Mark> open_;  ///< Stands for `joined_` so far.
  std::uint64_t joined_ = 0;
};

}  // namespace slime::tools

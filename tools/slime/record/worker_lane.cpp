#include "tools/slime/record/worker_lane.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace slime::tools {

namespace {

struct Span {
  double from = 0;
  double to = 0;
};

/// When a worker did what for one group.
struct GroupSpans {
  Span compute, wait, fetch, push;
};

/// Bounded by its neighbours, so that no time is drawn twice whatever was measured.
std::vector<GroupSpans> spans_of(std::span<const GroupMark> groups) {
  std::vector<GroupSpans> all;
  all.reserve(groups.size());
  double sealed = 0;   // The group before.
  double started = 0;  // Its computation.
  for (const GroupMark& group : groups) {
    const double end = group.run_s;
    // After the clock went back.
    sealed = std::min(sealed, end);
    started = std::min(started, sealed);
    GroupSpans spans;
    spans.compute = {std::clamp(end - group.compute_s, sealed, end), end};
    spans.wait = {std::clamp(spans.compute.from - group.wait_s, sealed, spans.compute.from),
                  spans.compute.from};
    spans.fetch = {std::clamp(spans.compute.from - group.fetch_s, started, spans.compute.from),
                   spans.compute.from};
    spans.push = {sealed, std::min(sealed + group.push_s, end)};
    all.push_back(spans);
    started = spans.compute.from;
    sealed = end;
  }
  return all;
}

/// How much of each of so many equal parts of the run is covered.
class Columns {
 public:
  Columns(const Scale& x, std::size_t count) : x_(x), covered_(count) {}

  void add(const Span& span) {
    const double width = (x_.to - x_.from) / static_cast<double>(covered_.size());
    double from = span.from;
    while (from < span.to) {
      const auto column = std::min(covered_.size() - 1, static_cast<std::size_t>(from / width));
      const double end = column + 1 == covered_.size()
                             ? span.to
                             : std::min(span.to, static_cast<double>(column + 1) * width);
      covered_[column] += (end - from) / width;
      if (end <= from) break;
      from = end;
    }
  }

  /// From `base` (of the row, from 0) on up; each column's height is added to `base`.
  std::string draw(double y, double height, std::vector<double>& base) const {
    const double width = (x_.end - x_.start) / static_cast<double>(covered_.size());
    std::string path;
    for (std::size_t column = 0; column < covered_.size();) {
      const double filled = std::min(covered_[column], 1 - base[column]);
      const double tall = std::round(filled * height * 10) / 10;
      const double foot = std::round(base[column] * height * 10) / 10;
      std::size_t end = column;
      for (; end < covered_.size(); ++end) {
        const double here = std::min(covered_[end], 1 - base[end]);
        if (std::round(here * height * 10) / 10 != tall ||
            std::round(base[end] * height * 10) / 10 != foot)
          break;
      }
      if (tall > 0)
        path += box(x_.start + static_cast<double>(column) * width, y + height - foot - tall,
                    static_cast<double>(end - column) * width, tall);
      column = end;
    }
    for (std::size_t column = 0; column < covered_.size(); ++column)
      base[column] = std::min(1.0, base[column] + covered_[column]);
    return path;
  }

 private:
  Scale x_;
  std::vector<double> covered_;
};

constexpr double transfer_row = 1.0 / 3;
constexpr double gap = 1;

}  // namespace

WorkerLane worker_lane(std::span<const GroupMark> groups, const LanePlace& at,
                       std::size_t bars_max) {
  WorkerLane lane;
  const double below = at.y + at.height + gap;
  const double low = at.height * transfer_row;
  const auto bar = [&at](const Span& span, double y, double height) {
    const double from = at.x(span.from);
    return span.to > span.from ? box(from, y, at.x(span.to) - from, height) : std::string();
  };
  const auto all = spans_of(groups);
  if (all.size() <= bars_max) {
    for (const GroupSpans& group : all) {
      lane.compute += bar(group.compute, at.y, at.height);
      lane.wait += bar(group.wait, at.y, at.height);
      lane.fetch += bar(group.fetch, below, low);
      lane.push += bar(group.push, below, low);
    }
    return lane;
  }
  Columns compute(at.x, bars_max), wait(at.x, bars_max), fetch(at.x, bars_max),
      push(at.x, bars_max);
  for (const GroupSpans& group : all) {
    compute.add(group.compute);
    wait.add(group.wait);
    fetch.add(group.fetch);
    push.add(group.push);
  }
  std::vector<double> busy(bars_max), carrying(bars_max);
  lane.compute = compute.draw(at.y, at.height, busy);
  lane.wait = wait.draw(at.y, at.height, busy);
  lane.fetch = fetch.draw(below, low, carrying);
  lane.push = push.draw(below, low, carrying);
  return lane;
}

}  // namespace slime::tools

#include "tools/bench/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace slime::bench {

namespace {

std::string promise_of(const Comparison& one) {
  if (!one.ratio_min) return "";
  return fmt::format(R"(,"ratio_promised":{:.3f},"met":{})", *one.ratio_min, is_met(one));
}

}  // namespace

double median(Values values) {
  assert(!values.empty());
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double least(const Values& values) {
  return std::ranges::min(values);
}

double greatest(const Values& values) {
  return std::ranges::max(values);
}

Comparison compare(std::string name, bool higher_is_better, const Values& ours, std::string rival,
                   const Values& theirs) {
  assert(ours.size() == theirs.size());
  Values ratios;
  for (std::size_t i = 0; i < ours.size(); ++i)
    ratios.push_back(higher_is_better ? ours[i] / theirs[i] : theirs[i] / ours[i]);
  return {std::move(name), median(ours), std::move(rival), median(theirs), std::move(ratios), {}};
}

bool is_met(const Comparison& comparison) {
  return std::round(100 * median(comparison.ratios)) >= std::round(100 * *comparison.ratio_min);
}

std::string text_of(const Values& values) {
  return fmt::format("{:.2f} [{:.2f} {:.2f}]", median(values), least(values), greatest(values));
}

std::string json_of(std::string_view bench, const std::vector<Comparison>& all) {
  std::string rows;
  double worst = all.empty() ? 0 : median(all.front().ratios);
  for (const Comparison& one : all) {
    worst = std::min(worst, median(one.ratios));
    rows +=
        fmt::format(R"({}{{"case":"{}","ours":{:.4f},"rival":"{}","theirs":{:.4f},"ratio":{:.3f},)"
                    R"("ratio_min":{:.3f},"ratio_max":{:.3f}{}}})",
                    rows.empty() ? "" : ",", one.name, one.ours, one.rival, one.theirs,
                    median(one.ratios), least(one.ratios), greatest(one.ratios), promise_of(one));
  }
  return fmt::format(R"({{"bench":"{}","rows":[{}],"worst_ratio":{:.3f}}})", bench, rows, worst);
}

}  // namespace slime::bench

#include "tools/bench/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace slime::bench {

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
  return {std::move(name), median(ours), std::move(rival), median(theirs), std::move(ratios)};
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
                    R"("ratio_min":{:.3f},"ratio_max":{:.3f}}})",
                    rows.empty() ? "" : ",", one.name, one.ours, one.rival, one.theirs,
                    median(one.ratios), least(one.ratios), greatest(one.ratios));
  }
  return fmt::format(R"({{"bench":"{}","rows":[{}],"worst_ratio":{:.3f}}})", bench, rows, worst);
}

}  // namespace slime::bench

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slime::bench {

/// One value per repetition.
using Values = std::vector<double>;

/// None may be empty.
double median(Values values);
double least(const Values& values);
double greatest(const Values& values);

/// One case beside one rival: the medians of both, and what each repetition by itself gave for the
/// ratio, above 1 where ours is better. In a repetition both ran one after the other, so that what
/// the machine does meanwhile hits both, while it may be twice as fast a second later.
struct Comparison {
  std::string name;
  double ours;
  std::string rival;
  double theirs;
  Values ratios;
  /// What we promise of the median ratio, if anything.
  std::optional<double> ratio_min = std::nullopt;
};

/// @param ours, theirs  As many.
Comparison compare(std::string name, bool higher_is_better, const Values& ours, std::string rival,
                   const Values& theirs);

/// Whether the median ratio, to two digits after the point, is what is promised.
/// Precondition: `ratio_min` is set.
bool is_met(const Comparison& comparison);

/// "MEDIAN [LEAST GREATEST]".
std::string text_of(const Values& values);
/// One object in one line: the cases in order, and the worst of their ratios.
/// A case with a promise also has that, as "ratio_promised", and whether it is "met".
std::string json_of(std::string_view bench, const std::vector<Comparison>& all);

}  // namespace slime::bench
